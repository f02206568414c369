import type { ImportedDocument } from "../../../src/contract/mod.ts";
import type { ImportItem } from "../../../src/transfer/mod.ts";

/** Where the importers of a test put documents. */
export const DESTINATION = { collection: "documents", tags: ["imported"], memoryCollection: "memory" };

/** Items that an importer found, by kind. */
export interface FoundItems {
  readonly documents: Record<string, ImportedDocument>;
  readonly errors: Record<string, string>;
  readonly skipped: Record<string, string>;
  readonly files: Record<string, { readonly sourcePath: string; readonly size: number }>;
}

/** Reads all items of an importer. */
export async function readItems(items: AsyncIterable<ImportItem>): Promise<FoundItems> {
  const found: FoundItems = { documents: {}, errors: {}, skipped: {}, files: {} };
  for await (const item of items) {
    const { name } = item;
    if ("document" in item) found.documents[name] = item.document;
    else if ("error" in item) found.errors[name] = item.error;
    else if ("skipped" in item) found.skipped[name] = item.skipped;
    else found.files[name] = { sourcePath: item.file.sourcePath, size: item.file.size };
  }
  return found;
}

/** Runs a test with a folder of files. */
export async function withFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  test: (root: string) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir();
  try {
    for (const [path, content] of Object.entries(files)) {
      await Deno.mkdir(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      if (typeof content === "string") await Deno.writeTextFile(`${root}/${path}`, content);
      else await Deno.writeFile(`${root}/${path}`, content);
    }
    await test(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

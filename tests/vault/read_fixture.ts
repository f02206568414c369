import { frontMatterTags, readFrontMatter } from "../../src/extraction/front_matter.ts";
import { firstHeading } from "../../src/extraction/title.ts";
import { documentFacts, type Vault, type VaultDocument } from "../../src/vault/mod.ts";

/** A Markdown file for {@linkcode vaultOf}. */
export type Files = Readonly<Record<string, string>>;

/** Returns a vault of Markdown texts by path, read as the engine reads them. */
export async function vaultOf(files: Files): Promise<Vault> {
  const documents: VaultDocument[] = [];
  const failures: Vault["failures"][number][] = [];
  for (const [path, text] of Object.entries(files)) {
    const { metadata = {}, body = text } = await readFrontMatter(text) ?? {};
    if (body.trim() === "") {
      failures.push({ path, code: "no_text", error: "No text found" });
      continue;
    }
    documents.push({
      id: documents.length + 1,
      path,
      title: String(metadata["title"] ?? firstHeading(body) ?? path),
      tags: frontMatterTags(metadata),
      metadata,
      changedAt: "2026-03-31T09:00:00Z",
      hasChanged: false,
      contentHash: text,
      facts: documentFacts(body, metadata),
    });
  }
  return { documents, failures };
}

/** Reads the Markdown files of a fixture. */
export async function readFixture(name: "obsidian" | "docs"): Promise<Vault> {
  const root = new URL(`../fixtures/vaults/${name}/`, import.meta.url);
  return await vaultOf(Object.fromEntries(await Array.fromAsync(markdownFiles(root, ""))));
}

async function* markdownFiles(root: URL, folder: string): AsyncGenerator<[string, string]> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(encodeURI(folder), root))) {
    if (isDirectory) yield* markdownFiles(root, `${folder}${name}/`);
    else if (name.endsWith(".md")) {
      yield [folder + name, await Deno.readTextFile(new URL(encodeURI(folder + name), root))];
    }
  }
}

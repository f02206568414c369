import { join } from "node:path";
import type { EngineClient } from "../client/mod.ts";
import { DEFAULT_COLLECTION } from "../collections/mod.ts";
import { DOCUMENTS_FILE, JOURNAL, MANIFEST } from "./export/manifest.ts";
import { readBasicMemory } from "./formats/basic_memory.ts";
import { readChatGpt } from "./formats/chatgpt.ts";
import { readClaude } from "./formats/claude.ts";
import { readExport } from "./formats/exported.ts";
import { readExportedLines } from "./formats/exported_lines.ts";
import { readJsonl } from "./formats/jsonl.ts";
import { readMcpMemoryService } from "./formats/mcp_memory_service.ts";
import type { FormatName } from "./formats/names.ts";
import { readObsidian } from "./formats/obsidian.ts";
import { readServerMemory } from "./formats/server_memory.ts";

import { ImportError, type ImportItem } from "./import_items.ts";
import { ImportInput } from "./input.ts";
import { quoteText } from "../text/mod.ts";
import { collectionIn, withCollection } from "./portable_document.ts";
import { type ImportReport, runImport, type RunOptions } from "./run_import.ts";

/** Options of {@linkcode importSource}. */
export interface ImportOptions extends Omit<RunOptions, "exact"> {
  readonly format: FormatName;
  /** Collection of new documents. @default {"memory"} for memories, otherwise that of the export, or `documents` */
  readonly collection?: string | undefined;
  /** Collections that documents of other programs may name. @default any */
  readonly collections?: readonly string[];
  /** Tags of all documents, in addition to their own. */
  readonly tags?: readonly string[];
}

/** Collection of memories of other programs. */
const MEMORY = "memory";

/**
 * Imports a folder, file or zip archive.
 *
 * @throws {ImportError} If the input cannot be read, or has another format.
 * @throws {EngineError} If the engine fails. The same import again continues.
 */
export async function importSource(
  client: EngineClient,
  path: string,
  { format, collection, collections, tags = [], ...options }: ImportOptions,
): Promise<ImportReport> {
  const input = await ImportInput.open(path);
  if (format === "export") {
    const items = relabel(await exportItems(input), { collection, tags });
    return await runImport(client, items, { ...options, exact: true });
  }
  const items = readItems(input, format, { collection, tags });
  return await runImport(client, collections ? checkCollections(items, collections) : items, options);
}

function readItems(
  input: ImportInput,
  format: Exclude<FormatName, "export">,
  { collection, tags }: { readonly collection: string | undefined; readonly tags: readonly string[] },
): AsyncIterable<ImportItem> {
  const documents = { collection: collection ?? DEFAULT_COLLECTION, tags };
  const memories = { collection: collection ?? MEMORY, tags };
  switch (format) {
    case "obsidian":
      return readObsidian(input, documents);
    case "chatgpt":
      return readChatGpt(input, documents);
    case "claude":
      return readClaude(input, { ...documents, memoryCollection: memories.collection });
    case "basic-memory":
      return readBasicMemory(input, memories);
    case "mcp-memory-service":
      return readMcpMemoryService(input, memories);
    case "server-memory":
      return readServerMemory(input, memories);
    case "jsonl":
      return readJsonl(input, documents);
  }
}

async function exportItems(input: ImportInput): Promise<AsyncIterable<ImportItem>> {
  if (input.type === "file") return readExportedLines(input.path);
  if (await input.has(MANIFEST)) return readExport(input.path);
  if (await input.has(DOCUMENTS_FILE)) return readExportedLines(join(input.path, DOCUMENTS_FILE));
  if (input.type === "zip") {
    throw new ImportError("An export of kb-mcp must be a folder: unpack the archive, and import the folder");
  }
  throw new ImportError(
    await input.has(JOURNAL)
      ? "The export was interrupted: repeat it before you import it"
      : `The folder is not an export of kb-mcp: it has no ${MANIFEST}`,
  );
}

/** Reports documents of unknown collections, where nobody would find them. */
async function* checkCollections(
  items: AsyncIterable<ImportItem>,
  known: readonly string[],
): AsyncGenerator<ImportItem> {
  for await (const item of items) {
    const collection = "document" in item ? collectionIn(item.document.tags ?? []) : undefined;
    if (collection === undefined || known.includes(collection)) yield item;
    else {
      const error = `collection must be one of ${known.join(", ")}, got ${quoteText(collection, 100)}: ` +
        "add it to KB_COLLECTIONS, or choose another with --collection";
      yield { name: item.name, error };
    }
  }
}

/** Applies a collection and tags of the caller to the documents of an export. */
async function* relabel(
  items: AsyncIterable<ImportItem>,
  { collection, tags }: { readonly collection: string | undefined; readonly tags: readonly string[] },
): AsyncGenerator<ImportItem> {
  for await (const item of items) {
    const isSame = collection === undefined && tags.length === 0;
    if (isSame || !("document" in item)) {
      yield item;
      continue;
    }
    const { document } = item;
    const own = document.tags ?? [];
    yield {
      ...item,
      document: { ...document, tags: withCollection([...own, ...tags], collection ?? collectionIn(own)) },
    };
  }
}

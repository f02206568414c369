/*
 * mcp-memory-service (https://github.com/doobidoo/mcp-memory-service): its database `sqlite_vec.db`, or the JSON of its
 * export, `{"export_metadata": …, "memories": […]}`. Both have the fields of its class Memory.
 */
import { MAX_NOTE_CHARS } from "../../contract/mod.ts";
import { type Fields, fieldsOf, metadataOf, tagsOf, textOf } from "../fields.ts";
import { type Destination, ImportError, type ImportItem } from "../import_items.ts";
import type { ImportInput } from "../input.ts";
import { jsonItems } from "../json_items.ts";
import { withCollection } from "../portable_document.ts";
import { isSqlite, SqliteCopy } from "../sqlite_copy.ts";
import { toTime } from "../times.ts";

/** Reads memories. Deleted ones are left out. */
export async function* readMcpMemoryService(
  input: ImportInput,
  destination: Destination,
): AsyncGenerator<ImportItem> {
  if (input.type === "file" && isSqlite(await input.head(16))) {
    yield* readDatabase(input.path, destination);
    return;
  }
  let count = 0;
  for await (const { chunks } of input.files((name) => input.type === "file" || name.endsWith(".json"))) {
    for await (const value of jsonItems(chunks, "$.memories.*")) {
      yield toItem(fieldsOf(value), ++count, destination);
    }
  }
  if (count === 0) throw new ImportError("The input has no memories of mcp-memory-service");
}

async function* readDatabase(path: string, destination: Destination): AsyncGenerator<ImportItem> {
  await using db = await SqliteCopy.open(path);
  if (!db.tables().get("memories")?.has("content_hash")) {
    throw new ImportError("The database must have the table `memories` of mcp-memory-service");
  }
  let count = 0;
  for (const row of db.rows("SELECT * FROM memories ORDER BY rowid")) {
    const metadata = typeof row["metadata"] === "string" ? parseObject(row["metadata"]) : {};
    yield toItem({ ...row, metadata }, ++count, destination);
  }
}

function toItem(memory: Fields, number: number, { collection, tags }: Destination): ImportItem {
  const hash = textOf(memory["content_hash"]);
  const name = `memory ${hash?.slice(0, 12) ?? number}`;
  const text = textOf(memory["content"]);
  if (typeof memory["deleted_at"] === "number") return { name, skipped: "deleted memories" };
  if (text === undefined) return { name, error: "It must have content" };
  const { tags: ownTags, memory_type, metadata } = memory;
  const { tags: _, ...others } = fieldsOf(metadata);
  const fields = metadataOf({ ...others, memory_type: textOf(memory_type) });
  const created = toTime(memory["created_at"]) ?? toTime(memory["created_at_iso"]);
  const updated = toTime(memory["updated_at"]) ?? toTime(memory["updated_at_iso"]);
  return {
    name,
    document: {
      doc_type: text.length <= MAX_NOTE_CHARS ? "note" : "markdown",
      text,
      ...(hash !== undefined && { source_path: `mcp-memory-service/${hash}` }),
      tags: withCollection(tagsOf([...tags, ...tagsOf(ownTags)]), collection),
      ...(fields && { metadata: fields }),
      ...(created && { created_at: created }),
      ...(updated && updated !== created && { updated_at: updated }),
    },
  };
}

function parseObject(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

import { Buffer } from "node:buffer";
import { ImportedDocument } from "../../contract/mod.ts";
import { requirementOf } from "../../text/mod.ts";
import type { ImportItem } from "../import_items.ts";
import { fieldsOf } from "../fields.ts";

const NEWLINE = 0x0a;

/**
 * Reads the file of `kb-mcp export --format jsonl`, in the order of the ids of its documents, so that an empty knowledge
 * base can give them the same ones. Memory is limited by the longest line and the number of lines.
 */
export async function* readExportedLines(path: string): AsyncGenerator<ImportItem> {
  using file = await Deno.open(path);
  const lines: { number: number; start: number; length: number; id: number }[] = [];
  for await (const { bytes, start, number } of readByteLines(file)) {
    const id = Number(fieldsOf(parse(bytes))["document_id"]);
    lines.push({ number, start, length: bytes.length, id: id > 0 ? id : Infinity });
  }
  lines.sort((a, b) => a.id === b.id ? a.number - b.number : a.id - b.id);
  for (const { number, start, length } of lines) {
    await file.seek(start, Deno.SeekMode.Start);
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length;) at += await file.read(bytes.subarray(at)) ?? length;
    const name = `line ${number}`;
    const value = parse(bytes);
    if (value === undefined) {
      yield { name, error: "It must be one JSON object" };
      continue;
    }
    const parsed = ImportedDocument.safeParse(value);
    const issue = parsed.error?.issues[0];
    yield issue
      ? { name, error: `${issue.path.join(".") || "The line"} must ${requirementOf(issue)}` }
      : { name, document: parsed.data! };
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Yields the lines of a file that are not empty, with their positions in bytes. */
async function* readByteLines(
  file: Deno.FsFile,
): AsyncGenerator<{ bytes: Uint8Array; start: number; number: number }> {
  const buffer = new Uint8Array(64 * 1024);
  let parts: Uint8Array[] = [];
  let start = 0;
  let position = 0;
  let number = 1;
  const line = () => new Uint8Array(Buffer.concat(parts));
  for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
    let from = 0;
    for (let end = buffer.indexOf(NEWLINE); end >= 0 && end < count; end = buffer.indexOf(NEWLINE, from)) {
      parts.push(buffer.slice(from, end));
      const bytes = line();
      if (bytes.length > 0) yield { bytes, start, number };
      number++;
      parts = [];
      from = end + 1;
      start = position + from;
    }
    parts.push(buffer.slice(from, count));
    position += count;
  }
  const bytes = line();
  if (bytes.length > 0) yield { bytes, start, number };
}

import * as z from "zod";
import { ImportedDocument, RelativePath } from "../../contract/mod.ts";

/** Name of the manifest in an export: a header, then a line of JSON for each document. */
export const MANIFEST = "kb-export.jsonl";
/** Name of the list of files that an export is writing, which is removed at its end. */
export const JOURNAL = "kb-export.journal";
/** Name of the file of `kb-mcp export --format jsonl`. */
export const DOCUMENTS_FILE = "kb-documents.jsonl";

/** First line of a manifest. */
export const ManifestHeader = z.object({
  format: z.literal("kb-mcp-export"),
  version: z.literal(1),
  /** Filters of the export, as in `POST /documents/query`. */
  filters: z.record(z.string(), z.unknown()),
});
/** Inferred from {@linkcode ManifestHeader}. */
export type ManifestHeader = z.infer<typeof ManifestHeader>;

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

/** A line of a journal: a file that an export is about to write. */
export const JournalEntry = z.object({ file: RelativePath, sha256: Hash });

/** A document in a manifest. */
export const ManifestEntry = z.object({
  /** Path of its file, relative to the export. */
  file: RelativePath,
  /** SHA-256 of the file. */
  sha256: Hash,
  /** SHA-256 of the text in the file. */
  text_sha256: Hash,
  /** Whether the front matter has the metadata. */
  has_metadata: z.boolean(),
  /** The document without its text. */
  document: z.looseObject({ document_id: z.int().min(1).optional() }),
});
/** Inferred from {@linkcode ManifestEntry}. */
export type ManifestEntry = z.infer<typeof ManifestEntry>;

/** A manifest that cannot be used, with the reason. */
export class ManifestError extends Error {
  override name = "ManifestError";
}

/**
 * Reads a manifest line by line.
 *
 * @param path Path of the manifest.
 * @returns The header, then the entries.
 * @throws {ManifestError} If a line is damaged or of a later version.
 */
export async function* readManifest(path: string): AsyncGenerator<ManifestHeader | ManifestEntry> {
  let number = 0;
  for await (const line of readLines(path)) {
    number++;
    if (line === "") continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw new ManifestError(`Line ${number} of ${MANIFEST} must be JSON: export again`, { cause });
    }
    const parsed = number === 1 ? ManifestHeader.safeParse(value) : ManifestEntry.safeParse(value);
    if (!parsed.success) {
      throw new ManifestError(
        number === 1
          ? `${MANIFEST} must start with a header of version 1: it may be of a later version of kb-mcp`
          : `Line ${number} of ${MANIFEST} is not an entry: ${z.prettifyError(parsed.error)}`,
      );
    }
    yield parsed.data;
  }
}

/** Whether a line of a manifest is an entry. */
export function isEntry(line: ManifestHeader | ManifestEntry): line is ManifestEntry {
  return "file" in line;
}

/** Parses the document of an entry, with the text of its file. */
export function entryDocument(entry: ManifestEntry, text: string) {
  return ImportedDocument.safeParse({ ...entry.document, text });
}

/** Reads the lines of a text file. Not with `node:readline`, for which U+2028, which JSON may contain, ends a line. */
export async function* readLines(path: string): AsyncGenerator<string> {
  using file = await Deno.open(path);
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  let start: string[] = [];
  for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
    const [first = "", ...lines] = decoder.decode(buffer.subarray(0, count), { stream: true }).split("\n");
    start.push(first);
    for (const line of lines) {
      yield withoutReturn(start.join(""));
      start = [line];
    }
  }
  const last = start.join("") + decoder.decode();
  if (last !== "") yield withoutReturn(last);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

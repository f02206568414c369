import type { EngineClient } from "../../client/mod.ts";
import {
  type Chunk,
  type Document,
  type Id,
  IMPORTED_TYPES,
  type ImportedChunk,
  MAX_TEXT_CHARS,
} from "../../contract/mod.ts";
import { joinChunks, ownText } from "../../tools/mod.ts";
import type { PortableDocument } from "../portable_document.ts";

/** Number of chunks of a document per request. */
const PAGE_CHUNKS = 200;
/** Maximum number of attempts at a document that changes while it is read. */
const MAX_ATTEMPTS = 5;

/** A document of an engine, with the fields that only listings have. */
export interface ReadDocument {
  readonly document: PortableDocument;
  readonly language: string | null;
}

/**
 * Reads a whole document, a page of chunks at a time. Memory is limited by the text of one document.
 *
 * @throws {EngineError} `not_found` if it was deleted since it was listed.
 */
export async function readDocument(
  client: EngineClient,
  id: Id,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ReadDocument> {
  for (let attempt = 1;; attempt++) {
    const read = await readPages(client, id, options);
    if (read) return toReadDocument(read);
    if (attempt === MAX_ATTEMPTS) throw new Error(`Document ${id} changes all the time: try again later`);
  }
}

interface Pages extends Document {
  readonly chunks: Chunk[];
}

/** Returns undefined if the document has changed between two pages. */
async function readPages(
  client: EngineClient,
  id: Id,
  options: { readonly signal?: AbortSignal },
): Promise<Pages | undefined> {
  const query = { limit: PAGE_CHUNKS, text: true };
  const first = await client.document(id, query, options);
  const chunks = first.chunks ?? [];
  const total = first.chunks_total ?? chunks.length;
  while (chunks.length < total) {
    const page = await client.document(id, { limit: PAGE_CHUNKS, offset: chunks.length }, options);
    if (page.version !== first.version || !page.chunks?.length) return undefined;
    chunks.push(...page.chunks);
  }
  return { ...first, chunks };
}

function toReadDocument(read: Pages): ReadDocument {
  const { chunks, metadata, created_at, updated_at, version, content_hash, size_bytes, language, warning } =
    read;
  const layout = chunks.map(toLayout);
  const text = read.text ?? textAtOffsets(chunks, layout) ?? joinChunks(chunks);
  locateRepeatedHeaders(chunks, layout, text);
  // Offsets of another engine may count differently, and are only kept if the text confirms them.
  const isExact = chunks.every(({ text: part }, i) => {
    const at = layout[i];
    if (!at) return false;
    const { repeated_start: start = 0, repeated_chars: repeated = 0 } = at;
    return part === text.slice(start, start + repeated) + text.slice(at.char_start, at.char_end);
  });
  const id = Number(read.document_id);
  const document: PortableDocument = {
    ...(Number.isSafeInteger(id) && id > 0 && { document_id: id }),
    ...(read.title && { title: read.title }),
    doc_type: IMPORTED_TYPES.find((type) => type === read.doc_type) ?? "text",
    text,
    ...(isExact && { chunks: layout as ImportedChunk[] }),
    ...(read.source_path && { source_path: read.source_path }),
    ...(read.source && { source: read.source }),
    tags: [...read.tags],
    ...(metadata && { metadata }),
    ...(created_at && { created_at }),
    ...(updated_at && { updated_at }),
    ...(version && { version }),
    ...(content_hash && { content_hash }),
    ...(typeof size_bytes === "number" && { size_bytes }),
    ...(warning && { warning }),
  };
  return { document, language: language ?? null };
}

type Layout = Omit<ImportedChunk, "repeated_start" | "repeated_chars"> & {
  repeated_start?: number;
  repeated_chars?: number;
};

/** Adds the positions of the header rows that chunks repeat. */
function locateRepeatedHeaders(
  chunks: readonly Chunk[],
  layout: readonly (Layout | undefined)[],
  text: string,
): void {
  let header = "";
  let start = 0;
  for (const [i, chunk] of chunks.entries()) {
    const at = layout[i];
    if (!at || !chunk.repeated_chars) continue;
    const repeated = chunk.text.slice(0, chunk.repeated_chars);
    // The chunks of a table repeat the same header.
    if (repeated !== header) {
      header = repeated;
      start = text.lastIndexOf(header, at.char_start - header.length);
    }
    if (start < 0) return; // the layout is not exact
    at.repeated_start = start;
    at.repeated_chars = header.length;
  }
}

function toLayout(chunk: Chunk): Layout | undefined {
  const { char_start, char_end, line_start, line_end, heading_path = [], page_start, page_end } = chunk;
  if (typeof char_start !== "number" || typeof char_end !== "number") return undefined;
  if (typeof line_start !== "number" || typeof line_end !== "number") return undefined;
  return {
    char_start,
    char_end,
    line_start,
    line_end,
    heading_path,
    ...(typeof page_start === "number" && { page_start }),
    ...(typeof page_end === "number" && { page_end }),
  };
}

/**
 * Joins chunks so that each is at its offset. Chunks omit the white space between them: their lines say how many line
 * breaks it had, and spaces fill the rest.
 */
function textAtOffsets(
  chunks: readonly Chunk[],
  layout: readonly (Layout | undefined)[],
): string | undefined {
  const parts: string[] = [];
  let at = 0;
  let line = 1;
  for (const [i, chunk] of chunks.entries()) {
    const text = ownText(chunk);
    const place = layout[i];
    if (!place || place.char_end > MAX_TEXT_CHARS) return undefined;
    const { char_start: start, char_end: end } = place;
    if (end <= at) continue;
    if (start >= at) {
      const breaks = Math.min(start - at, Math.max(0, place.line_start - line));
      parts.push("\n".repeat(breaks), " ".repeat(start - at - breaks), text);
    } else parts.push(text.slice(at - start));
    at = end;
    line = place.line_end;
  }
  return parts.join("");
}

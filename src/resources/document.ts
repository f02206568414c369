import { EngineError } from "../client/mod.ts";
import { splitTags } from "../collections/mod.ts";
import type { Chunk, Document, DocumentQuery } from "../contract/mod.ts";
import { quoteText, visibleText } from "../text/mod.ts";
import { chunkUri, collectionUri, joinChunks } from "../tools/mod.ts";
import { type ReadContext, ResourceNotFoundError } from "./define.ts";
import { code, day, inline, link, nameOf } from "./markdown.ts";
import { plainIds } from "./uri.ts";

/**
 * Maximum number of chunks in one text: about 100,000 tokens at the embedded engine's chunk size. One request
 * reads them, so they belong to one state of the document.
 */
const MAX_CHUNKS = 300;
/** Maximum length of a text in UTF-16 code units: chunks of third-party engines may have any size. */
const MAX_CHARS = 400_000;
/** Maximum number of metadata fields. */
const MAX_FIELDS = 50;
/** Maximum length of a metadata value. */
const MAX_VALUE_CHARS = 500;

/** Returns a document as Markdown: its title, properties and text. */
export async function readDocument(uri: string, id: string, context: ReadContext): Promise<string> {
  const document = await findDocument(id, { offset: 0, limit: MAX_CHUNKS }, context);
  if (!document) throw documentNotFound(uri, id);
  const { chunks = [], chunks_total: total = chunks.length } = document;
  const whole = withinBounds(chunks);
  // Joining uses offsets, so hidden characters are removed after it.
  const text = visibleText(
    whole.length > 0 ? joinChunks(whole) : (chunks[0]?.text ?? "").slice(0, MAX_CHARS),
  );
  return [
    ...(startsWithTitle(text, document.title) ? [] : [`# ${inline(nameOf(document))}`]),
    properties(document).map((property) => `- ${property}`).join("\n"),
    "---",
    total === 0 ? "*This document has no text.*" : text,
    ...(whole.length < total ? ["---", truncationNotice(document, whole.length, total)] : []),
  ].join("\n\n") + "\n";
}

/**
 * Fetches the document with a plain or readable id.
 *
 * @returns Undefined for an unknown id.
 * @throws {EngineError} When the engine call fails.
 */
export async function findDocument(
  id: string,
  query: DocumentQuery,
  { engine, signal }: Pick<ReadContext, "engine" | "signal">,
): Promise<Document | undefined> {
  for (const candidate of plainIds(id)) {
    try {
      return await engine.document(candidate, query, { signal });
    } catch (error) {
      if (!isNotFound(error, candidate)) throw error;
    }
  }
  return undefined;
}

/** Returns the error for an id without a document. */
export function documentNotFound(uri: string, id: string): ResourceNotFoundError {
  const plain = quoteText(plainIds(id)[0] ?? id);
  return new ResourceNotFoundError(
    uri,
    `There is no document ${plain}; it may have been deleted. Find documents with kb_search, or read ` +
      `kb://collections/{name} for the documents of a collection.`,
  );
}

/** Engines with integer ids may reject any other id as invalid, instead of not finding it. */
function isNotFound(error: unknown, id: string): boolean {
  if (!(error instanceof EngineError)) return false;
  return error.code === "not_found" || (error.code === "invalid" && !/^\d+$/.test(id));
}

function withinBounds(chunks: readonly Chunk[]): readonly Chunk[] {
  let chars = 0;
  const end = chunks.findIndex(({ text }) => (chars += text.length) > MAX_CHARS);
  return end < 0 ? chunks : chunks.slice(0, end);
}

function properties(document: Document): string[] {
  const { collection, tags } = splitTags(document.tags);
  const { source_path, created_at, updated_at } = document;
  return [
    `Collection: ${collection === null ? "none" : link(collection, collectionUri(collection))}`,
    `Type: ${inline(document.doc_type)}`,
    ...(tags.length > 0 ? [`Tags: ${tags.map(code).join(", ")}`] : []),
    ...(source_path ? [`Source: ${code(source_path)}`] : []),
    ...(created_at ? [`Added: ${day(created_at)}`] : []),
    ...(updated_at ? [`Changed: ${day(updated_at)}`] : []),
    `Id: ${code(String(document.document_id))}`,
    ...metadataLines(document.metadata ?? {}),
  ];
}

/** Front matter fields, as code so that they cannot be mistaken for the properties of the document. */
function metadataLines(metadata: Readonly<Record<string, unknown>>): string[] {
  const fields = Object.entries(metadata).slice(0, MAX_FIELDS);
  if (fields.length === 0) return [];
  const lines = fields.map(([field, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
    return `  - ${code(field)}: ${code(visibleText(text).slice(0, MAX_VALUE_CHARS))}`;
  });
  return [["Metadata:", ...lines].join("\n")];
}

/** Links to the rest of a truncated text. `next` is the first chunk that is not included completely. */
function truncationNotice({ document_id }: Document, next: number, total: number): string {
  const included = next === 0 ? "This is part of chunk 0" : `These are chunks 0 to ${next - 1}`;
  return `*${included} of ${total}. Continue with ${
    link(`chunk ${next}`, chunkUri(document_id, next))
  }, or with kb_get: document_id and offset ${next}.*`;
}

/**
 * Whether a text starts with its title. Titles that the engine took from the first line may be cut and end in
 * "…".
 */
function startsWithTitle(text: string, title: string | null): boolean {
  const letters = (line: string) => line.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  const expected = letters(title ?? "");
  const line = letters(/\S[^\n]{0,2000}/.exec(text)?.[0] ?? "");
  return expected !== "" && (title?.endsWith("…") ? line.startsWith(expected) : line === expected);
}

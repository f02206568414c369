import { splitTags } from "../collections/mod.ts";
import type { Chunk, Document } from "../contract/mod.ts";
import { visibleText } from "../text/visible_text.ts";
import { chunkUri, collectionUri } from "../tools/mod.ts";
import type { ReadContext } from "./define.ts";
import { findDocument, noDocument } from "./find_document.ts";
import { joinChunks } from "./join_chunks.ts";
import { code, day, inline, link, nameOf } from "./markdown.ts";

/** Most chunks in one text: about 100,000 tokens at the embedded engine's size. They are one request, thus one state. */
const MAX_CHUNKS = 300;
/** Longest text, in UTF-16 code units: an engine from elsewhere may make chunks of any size. */
const MAX_CHARS = 400_000;

/** A document as one Markdown text: what it is, then what it says. */
export async function readDocument(uri: string, id: string, context: ReadContext): Promise<string> {
  const document = await findDocument(id, { offset: 0, limit: MAX_CHUNKS }, context);
  if (!document) throw noDocument(uri, id);
  const { chunks = [], chunks_total: total = chunks.length } = document;
  const whole = withinBounds(chunks);
  // After the joining, which goes by offsets.
  const text = visibleText(
    whole.length > 0 ? joinChunks(whole) : (chunks[0]?.text ?? "").slice(0, MAX_CHARS),
  );
  return [
    ...(startsWithTitle(text, document.title) ? [] : [`# ${inline(nameOf(document))}`]),
    facts(document).map((fact) => `- ${fact}`).join("\n"),
    "---",
    total === 0 ? "*This document has no text.*" : text,
    ...(whole.length < total ? ["---", cutNotice(document, whole.length, total)] : []),
  ].join("\n\n") + "\n";
}

function withinBounds(chunks: readonly Chunk[]): readonly Chunk[] {
  let chars = 0;
  const end = chunks.findIndex(({ text }) => (chars += text.length) > MAX_CHARS);
  return end < 0 ? chunks : chunks.slice(0, end);
}

function facts(document: Document): string[] {
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
  ];
}

/** How the text goes on, when there is more of it. `next` is the first chunk that is not there as a whole. */
function cutNotice({ document_id }: Document, next: number, total: number): string {
  const here = next === 0 ? "A part of the first chunk stands here" : `Chunks 0 to ${next - 1} stand here`;
  return `*${here}, of ${total}. It goes on at ${
    link(`chunk ${next}`, chunkUri(document_id, next))
  }; with kb_get: ` +
    `document_id and offset ${next}.*`;
}

/** Whether a text says its title itself. A title that the engine made of the first line is cut, with "…" at its end. */
function startsWithTitle(text: string, title: string | null): boolean {
  const letters = (line: string) => line.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  const wanted = letters(title ?? "");
  const line = letters(/\S[^\n]{0,2000}/.exec(text)?.[0] ?? "");
  return wanted !== "" && (title?.endsWith("…") ? line.startsWith(wanted) : line === wanted);
}

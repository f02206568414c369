import type { SearchResult } from "../../contract/mod.ts";
import { visibleText } from "../../text/mod.ts";
import type { SnippetCutter } from "./snippet.ts";

/**
 * A ranked chunk as a back end reads it. The fields have the meaning and names of {@linkcode SearchResult}.
 */
export interface RankedChunk {
  readonly chunk_id: number;
  readonly document_id: number;
  readonly index: number;
  readonly score: number;
  readonly text: string;
  readonly heading_path: readonly string[];
  readonly page_start: number | null;
  readonly page_end: number | null;
  readonly line_start: number | null;
  readonly line_end: number | null;
  readonly char_start: number | null;
  readonly char_end: number | null;
  /** 0: none. */
  readonly repeated_chars: number;
  readonly title: string;
  readonly doc_type: string;
  readonly language: string | null;
  /** Languages in which the words of the document have derived terms. */
  readonly stemmed_languages: readonly string[];
  readonly source_path: string | null;
  readonly tags: string[];
  readonly created_at: string;
  readonly updated_at: string | null;
  /** Chunks right before and after this one under the same heading; empty unless context is requested. */
  readonly neighbors: readonly NeighborChunk[];
  /** Chunks with the same text; undefined: none. */
  readonly copies?: Copies | undefined;
}

/** Chunks with the same text as a result, which are not results of their own. */
export interface Copies {
  /** Number of chunks. */
  readonly total: number;
  /** The first chunks. */
  readonly listed: NonNullable<SearchResult["also_in"]>;
}

/** A chunk next to a ranked one. */
export interface NeighborChunk {
  /** Position in the document. */
  readonly index: number;
  readonly text: string;
  readonly char_start: number | null;
  readonly repeated_chars: number;
}

/**
 * Prepares a chunk for the response: removes invisible characters, and adds the snippet and the context.
 *
 * @param options.detail Whether the text is the snippet or the whole chunk.
 * @param options.hasSnippet Whether a result with the whole chunk also has the snippet.
 */
export function toSearchResult(
  chunk: RankedChunk,
  { detail, hasSnippet, cutSnippet }: {
    readonly detail: "snippet" | "chunk" | "context";
    readonly hasSnippet: boolean;
    readonly cutSnippet: SnippetCutter;
  },
): SearchResult {
  // Before cutting, which collapses white space: U+FEFF is white space to JavaScript.
  const text = visibleText(chunk.text);
  const isSnippet = detail === "snippet";
  const snippet = isSnippet || hasSnippet
    ? cutSnippet(text, { languages: chunk.stemmed_languages })
    : undefined;
  const { before, after } = contextOf(chunk);
  const { copies } = chunk;
  // Field by field: copying all with a spread makes objects that are slow to copy and to serialize.
  return {
    chunk_id: chunk.chunk_id,
    document_id: chunk.document_id,
    index: chunk.index,
    text: isSnippet ? snippet ?? text : text,
    heading_path: chunk.heading_path.map(visibleText),
    page_start: chunk.page_start,
    page_end: chunk.page_end,
    line_start: chunk.line_start,
    line_end: chunk.line_end,
    char_start: chunk.char_start,
    char_end: chunk.char_end,
    ...(!isSnippet && chunk.repeated_chars > 0 ? { repeated_chars: chunk.repeated_chars } : {}),
    title: visibleText(chunk.title),
    doc_type: chunk.doc_type,
    source_path: chunk.source_path,
    created_at: chunk.created_at,
    updated_at: chunk.updated_at,
    language: chunk.language,
    tags: chunk.tags,
    score: chunk.score,
    ...(isSnippet || snippet === undefined ? {} : { snippet }),
    ...(before ? { context_before: visibleText(before) } : {}),
    ...(after ? { context_after: visibleText(after) } : {}),
    ...(copies ? { also_in: copies.listed } : {}),
    ...(copies && copies.total > copies.listed.length ? { also_in_total: copies.total } : {}),
  };
}

/** Returns the text around a chunk. Chunks may overlap, so the part that the chunk contains is removed. */
function contextOf(chunk: RankedChunk): { before?: string; after?: string } {
  const context: { before?: string; after?: string } = {};
  const { char_start: start, char_end: end } = chunk;
  for (const { index, text: whole, repeated_chars, char_start } of chunk.neighbors) {
    const text = whole.slice(repeated_chars);
    const hasOffsets = char_start !== null && start !== null && end !== null;
    if (index < chunk.index) {
      context.before = hasOffsets ? text.slice(0, Math.max(0, start - char_start)) : text;
    } else {
      context.after = hasOffsets ? text.slice(Math.max(0, end - char_start)) : text;
    }
  }
  return context;
}

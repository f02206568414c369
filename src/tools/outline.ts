import { estimateTokens, oneLine } from "../text/mod.ts";
import { ownText, textAfter } from "./join_chunks.ts";
import type { ChunkRange } from "./passages.ts";

/** Document types whose text marks headings as Markdown does. */
const MARKDOWN_TYPES: ReadonlySet<string> = new Set(["note", "markdown", "html", "docx"]);
/** Maximum number of tokens of an outline, unless the call sets another. */
const DEFAULT_OUTLINE_TOKENS = 3_000;
/** Number of headings that are more useful than more levels of headings. */
const MIN_HEADINGS = 5;
/** Fewer tokens than any entry has. */
const MIN_ENTRY_TOKENS = 8;
/** Maximum number of entries that show how a chunk starts, in a document without headings. */
const MAX_OPENINGS = 40;
/** Maximum length of a heading in UTF-16 code units. */
const MAX_HEADING_CHARS = 100;
/** Maximum length of the start of a chunk in UTF-16 code units. */
const MAX_OPENING_CHARS = 60;

/** A heading of a document, or the start of a chunk that has none above it. */
export interface OutlineEntry {
  /** Number of the chunk that has the heading. */
  readonly index: number;
  readonly heading?: string;
  /** Level of the heading, from 1 for the top. */
  readonly level?: number;
  /** First words of the chunk, before the first heading or in a document without headings. */
  readonly starts?: string;
  /** Page, for paged formats. */
  readonly page?: number;
}

/** Headings of a document within a token limit. */
export interface Outline {
  readonly outline: OutlineEntry[];
  /** Whether headings are left out: the deepest levels first, then the last ones. */
  readonly outline_cut?: true;
}

/**
 * Lists the headings of a document with the numbers of their chunks: those in the text of Markdown, otherwise those
 * of the chunks. Chunks before the first heading have one entry with their first words, and a document without headings
 * is listed by the first words of evenly spaced chunks.
 *
 * @example
 * ```ts
 * import { outlineOf } from "./outline.ts";
 * import { assertEquals } from "@std/assert";
 * const chunks = [{ chunk_id: 1, text: "# Plants\n\n## Ferns\n\nWater them." }];
 * assertEquals(outlineOf({ chunks, first: 0 }, { docType: "markdown" }).outline, [
 *   { index: 0, heading: "Plants", level: 1 },
 *   { index: 0, heading: "Ferns", level: 2 },
 * ]);
 * ```
 */
export function outlineOf(
  range: ChunkRange,
  { docType, maxTokens = DEFAULT_OUTLINE_TOKENS }: {
    readonly docType: string;
    readonly maxTokens?: number | undefined;
  },
): Outline {
  const marked = MARKDOWN_TYPES.has(docType) ? markedHeadings(range) : [];
  const headings = marked.length > 0 ? marked : chunkHeadings(range);
  const entries = headings.length > 0 ? [...introduction(range, headings), ...headings] : openings(range);
  return withinTokens(entries, maxTokens);
}

/** Returns the start of the document, if its first heading is in a later chunk. */
function introduction({ chunks, first }: ChunkRange, [heading]: readonly OutlineEntry[]): OutlineEntry[] {
  // A page of chunks from the middle of a document may continue the section of a heading before it.
  const isBefore = first === 0 && heading !== undefined && heading.index > 0;
  return isBefore ? openings({ chunks: chunks.slice(0, 1), first }) : [];
}

/** Returns the headings of a Markdown text, except in fenced code: `# Title`, or a title with a line of `=` or `-`. */
function markedHeadings({ chunks, first }: ChunkRange): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  let fence: string | undefined;
  let lineBefore = "";
  for (const [n, chunk] of chunks.entries()) {
    const before = chunks[n - 1];
    const text = before ? textAfter(before, chunk) : chunk.text;
    for (const line of text.split("\n")) {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
        fence = fence === undefined ? mark : undefined;
      }
      const heading = fence === undefined ? headingOf(line, lineBefore) : undefined;
      if (heading) entries.push({ index: first + n, ...heading });
      lineBefore = line.trim();
    }
  }
  return entries;
}

function headingOf(line: string, lineBefore: string): { heading: string; level: number } | undefined {
  const [, marks, title = ""] = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$/.exec(line) ?? [];
  if (marks !== undefined && title !== "") {
    return { heading: oneLine(title, MAX_HEADING_CHARS), level: marks.length };
  }
  const underline = /^ {0,3}(=+|-{2,})[ \t]*$/.exec(line)?.[1];
  if (underline === undefined || lineBefore === "" || /^[#>|*+=-]/.test(lineBefore)) return undefined;
  return { heading: oneLine(lineBefore, MAX_HEADING_CHARS), level: underline.startsWith("=") ? 1 : 2 };
}

/** Returns the headings that the engine reports for chunks, where they change. */
function chunkHeadings({ chunks, first }: ChunkRange): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  let path: readonly string[] = [];
  for (const [n, { heading_path = [], page_start }] of chunks.entries()) {
    const shared = heading_path.findIndex((heading, depth) => heading !== path[depth]);
    for (const [depth, heading] of heading_path.entries()) {
      if (shared < 0 || depth < shared) continue;
      const page = typeof page_start === "number" ? { page: page_start } : {};
      entries.push({
        index: first + n,
        heading: oneLine(heading, MAX_HEADING_CHARS),
        level: depth + 1,
        ...page,
      });
    }
    path = heading_path;
  }
  return entries;
}

function openings({ chunks, first }: ChunkRange): OutlineEntry[] {
  const step = Math.ceil(chunks.length / MAX_OPENINGS);
  return chunks.flatMap((chunk, n) =>
    n % step > 0 ? [] : [{
      index: first + n,
      starts: oneLine(ownText(chunk).trimStart(), MAX_OPENING_CHARS),
      ...(typeof chunk.page_start === "number" ? { page: chunk.page_start } : {}),
    }]
  );
}

/** Leaves out the deepest levels until the outline fits, then the last entries. */
function withinTokens(entries: readonly OutlineEntry[], maxTokens: number): Outline {
  // Estimating 100,000 headings again and again would take seconds.
  const maxEntries = Math.ceil(maxTokens / MIN_ENTRY_TOKENS);
  const fits = (list: readonly OutlineEntry[]) =>
    list.length <= maxEntries && estimateTokens(JSON.stringify(list)) <= maxTokens;
  let kept = [...entries];
  const depthOf = ({ level = 1 }: OutlineEntry) => level;
  while (!fits(kept)) {
    const deepest = kept.reduce((depth, entry) => Math.max(depth, depthOf(entry)), 1);
    const shallower = kept.filter((entry) => depthOf(entry) < deepest);
    if (shallower.length < MIN_HEADINGS) break;
    kept = shallower;
  }
  kept = kept.slice(0, maxEntries);
  while (kept.length > 1 && !fits(kept)) kept = kept.slice(0, Math.floor(kept.length * 0.9));
  return { outline: kept, ...(kept.length < entries.length ? { outline_cut: true as const } : {}) };
}

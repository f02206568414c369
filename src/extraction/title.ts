import { MAX_TITLE_CHARS } from "../contract/rules/mod.ts";
import { scanBlocks } from "./chunking/blocks.ts";
import { normalizeText } from "./normalize.ts";
import { oneLine } from "./whitespace.ts";

/** Maximum length of a generated title, in characters (code points). */
const MAX_GENERATED_CHARS = 80;
/**
 * Maximum length of an entry of a heading path, in characters: it is stored with each chunk under the
 * heading.
 */
const MAX_HEADING_CHARS = 200;
/** Number of lines that are searched for one with letters or digits. */
const MAX_LINES = 50;
/** Markdown markers before the words of a line: quote, heading, list item, task box. */
const LEADING_MARKS = /^(?:>\s*|#{1,6}\s+|[-*+]\s+|\d{1,9}[.)]\s+|\[[ xX]\]\s+)+/;
/** Start or end of a code fence, with its info string (CommonMark §4.5). */
const FENCE = /^(?:`{3,}[^`]*|~{3,}.*)$/;

/**
 * Generates a title for a text without one: its first line, without Markdown markers, cut at a word boundary
 * to at most 80 characters. Lines without letters or digits (`---`) and code fences are used only if nothing
 * else is found.
 *
 * @returns The title; empty only if the text is white space.
 *
 * @example
 * ```ts
 * import { noteTitle } from "./title.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(noteTitle("\n## Backups run **nightly**\nAt 02:00."), "Backups run nightly");
 * ```
 */
export function noteTitle(text: string): string {
  let fallback = "";
  const lineStart = /\S/g;
  for (let tries = 0; tries < MAX_LINES; tries++) {
    const found = lineStart.exec(text);
    if (!found) break;
    const start = found.index;
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    // A line can be as long as the text; a title needs only its start.
    const line = text.slice(start, Math.min(end, start + 8 * MAX_GENERATED_CHARS));
    const title = truncate(stripMarkdown(line), MAX_GENERATED_CHARS);
    if (!FENCE.test(line) && /[\p{L}\p{N}]/u.test(title)) return title;
    fallback ||= title;
    lineStart.lastIndex = end;
  }
  return fallback;
}

/**
 * Returns the text of a heading without inline Markdown markers, cut to 200 characters.
 *
 * @param line The heading without its own markers: `Set **up**` of `## Set **up** ##`.
 */
export function headingTitle(line: string): string {
  return truncate(stripMarkdown(line.slice(0, 8 * MAX_HEADING_CHARS)), MAX_HEADING_CHARS);
}

/** Returns the text of the first heading of a Markdown text. */
export function firstHeading(text: string): string | undefined {
  for (const block of scanBlocks({ text, markup: "markdown" })) {
    const title = block.kind === "heading" ? headingTitle(text.slice(block.titleStart, block.titleEnd)) : "";
    if (title !== "") return title;
  }
  return undefined;
}

/**
 * Normalizes a title from a document to one line of at most `MAX_TITLE_CHARS`; `undefined` if it is empty.
 */
export function cleanTitle(title: unknown): string | undefined {
  if (typeof title !== "string" && typeof title !== "number") return undefined;
  const words = oneLine(normalizeText(String(title).slice(0, 4 * MAX_TITLE_CHARS)));
  return words.slice(0, MAX_TITLE_CHARS).trim().replace(/[\ud800-\udbff]$/, "") || undefined;
}

function stripMarkdown(line: string): string {
  return line
    // deno-lint-ignore no-control-regex -- removes control characters
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b\u2028\u2029\ufeff]+/g, " ")
    .trim()
    .replace(LEADING_MARKS, "")
    .replace(/^#+$|\s+#+$/, "")
    .replace(/!?\[([^\[\]]{1,300})\]\([^()\s]{0,500}\)/g, "$1")
    .replace(/(\*\*|`)(?=\S)(.{1,200}?)(?<=\S)\1/g, "$2")
    .replace(/\s+/g, " ")
    .trim()
    .toWellFormed();
}

function truncate(line: string, maxChars: number): string {
  const chars = Array.from(line);
  if (chars.length <= maxChars) return line;
  const head = chars.slice(0, maxChars - 1).join("");
  // Drops the word at the limit, unless the word is over half of the line or the script has no spaces.
  const space = chars[maxChars - 1] === " " ? head.length : head.lastIndexOf(" ");
  return (space > head.length / 2 ? head.slice(0, space) : head).replace(/[\s,;:.–—-]+$/u, "") + "…";
}

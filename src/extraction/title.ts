/** Longest title that is made from a text, in characters (code points). */
const MAX_CHARS = 80;
/** Longest entry of a heading path, in characters: it is stored with each chunk under the heading. */
const MAX_HEADING_CHARS = 200;
/** Lines that are looked at before the first one that has anything is taken. */
const MAX_LINES = 50;
/** Marks that stand before a line's words in Markdown: quote, heading, list item, task box. */
const LEADING_MARKS = /^(?:>\s*|#{1,6}\s+|[-*+]\s+|\d{1,9}[.)]\s+|\[[ xX]\]\s+)+/;
/** A line that opens or closes a code block, with the language that it names (CommonMark §4.5). */
const FENCE = /^(?:`{3,}[^`]*|~{3,}.*)$/;

/**
 * A title for a text that has none: its first line with words in it, without Markdown's marks, cut at a word
 * boundary to 80 characters at most.
 *
 * A line without letters or digits (`---`) and a fence (```` ```js ````) are taken only if there is nothing else.
 *
 * @returns The title; empty only for a text of nothing but white space.
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
    // A line can be as long as the text; its beginning is all that a title needs.
    const line = text.slice(start, Math.min(end, start + 8 * MAX_CHARS));
    const title = cut(tidy(line), MAX_CHARS);
    if (!FENCE.test(line) && /[\p{L}\p{N}]/u.test(title)) return title;
    fallback ||= title;
    lineStart.lastIndex = end;
  }
  return fallback;
}

/**
 * The words of a heading, without Markdown's inline marks, cut to 200 characters.
 *
 * @param line What stands between the marks of the heading: `Set **up**` of `## Set **up** ##`.
 */
export function headingTitle(line: string): string {
  return cut(tidy(line.slice(0, 8 * MAX_HEADING_CHARS)), MAX_HEADING_CHARS);
}

function tidy(line: string): string {
  return line
    // deno-lint-ignore no-control-regex -- control characters are what has to go
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

function cut(line: string, max: number): string {
  const chars = Array.from(line);
  if (chars.length <= max) return line;
  const head = chars.slice(0, max - 1).join("");
  // The word that the limit falls into goes whole, unless it is most of the line (or the script has no spaces).
  const space = chars[max - 1] === " " ? head.length : head.lastIndexOf(" ");
  return (space > head.length / 2 ? head.slice(0, space) : head).replace(/[\s,;:.–—-]+$/u, "") + "…";
}

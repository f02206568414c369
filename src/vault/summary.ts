import { collapseSpace } from "../text/mod.ts";
import { maskCode } from "./mask_code.ts";

/** Fields of front matter that summarize a document. */
const FIELDS = ["summary", "description", "abstract", "excerpt"];
/** Maximum length of a summary in UTF-16 code units. */
const MAX_CHARS = 600;
/** Lines that are no prose: headings, rules, tables, lists, quotes, embeds, tags, directives. */
const NO_PROSE =
  /^[ \t]*(?:#{1,6}(?:[ \t]|$)|[-=*_]{3,}[ \t]*$|[|>]|[-*+][ \t]|\d+[.)][ \t]|!\[|:::|<|\[\^?[^\]]+\]:|(?:#[^\s#]+[ \t]*)+$)/;

/**
 * Summarizes a Markdown document: a field of its front matter, or its first paragraph, or the start of its text.
 *
 * @example
 * ```ts
 * import { summaryOf } from "./summary.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(summaryOf("# Plan\n\n![[map.png]]\n\nWe move in\nMay.\n\n- Boxes"), "We move in May.");
 * ```
 */
export function summaryOf(text: string, metadata: Readonly<Record<string, unknown>> = {}): string {
  for (const name of FIELDS) {
    const value = metadata[name];
    if (typeof value === "string" && value.trim() !== "") return cut(value);
  }
  return cut(firstParagraph(text) ?? text);
}

function firstParagraph(text: string): string | undefined {
  // Code is masked, so that a paragraph before it is preferred; a paragraph itself is taken with its code spans.
  const masked = maskCode(text);
  const lines: string[] = [];
  let offset = 0;
  for (const line of masked.split("\n")) {
    const original = text.slice(offset, offset + line.length);
    offset += line.length + 1;
    const isProse = line.trim() !== "" && !NO_PROSE.test(line);
    if (isProse) lines.push(original);
    else if (lines.length > 0) {
      if (/^[ \t]{0,3}(?:=+|-+)[ \t]*$/.test(line)) lines.length = 0; // It was a heading.
      else break;
    }
    if (lines.length === 100) break;
  }
  return lines.length > 0 ? lines.join(" ") : undefined;
}

function cut(text: string): string {
  const line = collapseSpace(text.slice(0, 4 * MAX_CHARS));
  if (line.length <= MAX_CHARS) return line.toWellFormed();
  const head = line.slice(0, MAX_CHARS - 1);
  const space = head.lastIndexOf(" ");
  return `${(space > MAX_CHARS / 2 ? head.slice(0, space) : head).toWellFormed()}…`;
}

import type { HtmlElement } from "./element.ts";

/** Attribute with the original level of a heading whose element was renamed. */
export const LEVEL_ATTRIBUTE = "data-heading-level";

/** Writes a heading on one line; an empty one is left out. */
export function heading(content: string, element: HtmlElement): string {
  const level = Number(element.getAttribute(LEVEL_ATTRIBUTE) ?? element.nodeName[1]);
  const words = content.replace(/\s+/g, " ").trim();
  return words === "" ? "" : `\n\n${"#".repeat(level)} ${words}\n\n`;
}

/** Whether a `pre` is written as a fence. */
export function isFence(element: HtmlElement): boolean {
  return element.nodeName === "PRE" && element.firstChild?.nodeName === "CODE";
}

/** Whether a `code` is the only child of a `pre`. */
export function isCodeBlock(code: HtmlElement): boolean {
  return code.parentNode?.nodeName === "PRE" && !code.previousSibling && !code.nextSibling;
}

/** Writes the code of a `pre` between fences longer than those in it. */
export function fence(code: HtmlElement): string {
  const language = /language-(\S+)/.exec(code.className)?.[1] ?? "";
  const source = code.textContent;
  let size = 3;
  for (const [marks] of source.matchAll(/^`{3,}/gm)) size = Math.max(size, marks.length + 1);
  const marks = "`".repeat(size);
  return `\n\n${marks}${language}\n${source.replace(/\n$/, "")}\n${marks}\n\n`;
}

/** Writes inline code between more backticks than it has in a row (CommonMark §6.1). */
export function codeSpan(content: string): string {
  if (content === "") return "";
  const code = content.replace(/\r?\n|\r/g, " ");
  const runs = new Set(code.match(/`+/g));
  let marks = "`";
  while (runs.has(marks)) marks += "`";
  const isPadded = code.startsWith("`") || code.endsWith("`") ||
    (code.startsWith(" ") && code.endsWith(" ") && /[^ ]/.test(code));
  const padding = isPadded ? " " : "";
  return marks + padding + code + padding + marks;
}

/**
 * Escapes heading and fence markers at the start of a paragraph. Inline markers stay, so that search finds
 * names such as `my_long_name`.
 */
export function escapeBlocks(text: string): string {
  return text.replace(/^(\s*)(#{1,6}\s|```|~~~)/, "$1\\$2");
}

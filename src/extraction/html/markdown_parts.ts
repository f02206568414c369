import type { HtmlElement } from "./element.ts";
import { ELEMENT, following, type HtmlLeaf, type HtmlNode, type HtmlParent, TEXT } from "./node.ts";

/** Attribute with the original level of a heading whose element was renamed. */
export const LEVEL_ATTRIBUTE = "data-heading-level";

/** Writes a heading on one line; an empty one is left out. */
export function heading(content: string, element: HtmlElement): string {
  const level = Number(element.getAttribute(LEVEL_ATTRIBUTE) ?? element.nodeName[1]);
  const words = content.replace(/\s+/g, " ").trim();
  return words === "" ? "" : `\n\n${"#".repeat(level)} ${words}\n\n`;
}

/** Whether a `code` is the only child of a `pre`. */
export function isCodeBlock(code: HtmlElement): boolean {
  return code.parentNode?.nodeName === "PRE" && !code.previousSibling && !code.nextSibling;
}

/** Writes the text of a `pre` between fences longer than those in it. */
export function fence(pre: HtmlElement): string {
  const source = codeText(pre).replace(/^\n|\s+$/g, "");
  if (source === "") return "";
  let size = 3;
  for (const [marks] of source.matchAll(/^`{3,}/gm)) size = Math.max(size, marks.length + 1);
  const marks = "`".repeat(size);
  return `\n\n${marks}${languageOf(pre)}\n${source}\n${marks}\n\n`;
}

/** Returns the text of code; highlighters separate lines by elements. */
function codeText(parent: HtmlParent): string {
  let text = "";
  for (let node: HtmlNode | null = parent.firstChild; node; node = following(node, parent)) {
    if (node.nodeType === TEXT) text += (node as HtmlLeaf).data;
    else if (node.nodeName === "BR") text += "\n";
  }
  return text;
}

/** Returns the language that a highlighter names on the `pre`, its `code`, or the elements around it. */
function languageOf(pre: HtmlElement): string {
  const code = pre.getElementsByTagName("code")[0] as HtmlElement | undefined;
  const around = [pre.parentNode, pre.parentNode?.parentNode].filter((each) =>
    each?.nodeType === ELEMENT
  ) as HtmlElement[];
  for (const element of [...(code ? [code] : []), pre, ...around]) {
    const data = element.getAttribute("data-lang") ?? element.getAttribute("data-language");
    const found = data ??
      /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-)?|brush:\s*|sourceCode\s+|src-)([\w+#-]{1,30})/.exec(
        element.className,
      )?.[1];
    if (found && /^[\w+#-]{1,30}$/.test(found) && !/^(?:default|none|text|notranslate)$/.test(found)) {
      return found;
    }
  }
  return "";
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

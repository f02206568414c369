import type { HtmlElement } from "./tree.ts";

/** The API of `turndown` that is used here; the package has no types. */
interface Turndown {
  turndown(root: HtmlElement): string;
  addRule(name: string, rule: Rule): void;
  remove(filter: string[]): void;
  escape(text: string): string;
}
interface Rule {
  filter: string | string[];
  replacement(content: string, node: HtmlElement): string;
}
type TurndownClass = new (options: Record<string, string>) => Turndown;

/** Elements that are not displayed. */
const INVISIBLE = [
  "script",
  "style",
  "noscript",
  "template",
  "iframe",
  "object",
  "svg",
  "canvas",
  "head",
  "title",
];

/**
 * Converts an element to Markdown with headings, lists, fences and pipe tables. Keeps only the text of links
 * and pictures: URLs would fill the chunks.
 */
export async function htmlToMarkdown(root: HtmlElement): Promise<string> {
  // The browser build: the Node build contains a second HTML parser.
  const { default: Service } = await import("turndown/lib/turndown.browser.es.js") as unknown as {
    default: TurndownClass;
  };
  const service = new Service({
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
    hr: "---",
  });
  service.remove(INVISIBLE);
  service.escape = escapeBlocks;
  service.addRule("link text", { filter: "a", replacement: (content) => content });
  service.addRule("alternative text", {
    filter: "img",
    replacement: (_, node) => (node.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim(),
  });
  service.addRule("heading", { filter: ["h1", "h2", "h3", "h4", "h5", "h6"], replacement: heading });
  service.addRule("list item", { filter: "li", replacement: listItems() });
  service.addRule("table cell", {
    filter: ["td", "th"],
    replacement: (content) => ` ${linesOf(content).join(" ").replace(/(?<!\\)\|/g, "\\|")} |`,
  });
  service.addRule("table row", { filter: "tr", replacement: tableRow });
  service.addRule("table", {
    filter: "table",
    replacement: (content) => `\n\n${content.trim().replace(/\n{2,}/g, "\n")}\n\n`,
  });
  return service.turndown(root);
}

/** Attribute with the original level of a heading whose element was renamed. */
export const LEVEL_ATTRIBUTE = "data-heading-level";

function heading(content: string, node: HtmlElement): string {
  const level = Number(node.getAttribute(LEVEL_ATTRIBUTE) ?? node.nodeName[1]);
  const words = content.replace(/\s+/g, " ").trim();
  return words === "" ? "" : `\n\n${"#".repeat(level)} ${words}\n\n`;
}

/**
 * Returns the rule for list items. Items are visited in document order, so a counter per list numbers them.
 */
function listItems(): Rule["replacement"] {
  const counts = new WeakMap<HtmlElement, number>();
  return (content, item) => {
    const list = item.parentNode;
    let mark = "- ";
    if (list?.nodeName === "OL") {
      const number = counts.get(list) ?? (Number.parseInt(list.getAttribute("start") ?? "", 10) || 1);
      counts.set(list, number + 1);
      mark = `${number}. `;
    }
    const indent = " ".repeat(mark.length);
    const body = content.trim().split("\n").map((line, at) =>
      at === 0 ? line.trimEnd() : `${indent}${line}`.trimEnd()
    )
      .join("\n");
    return body === "" ? "" : `\n${mark}${body}\n`;
  };
}

/** Returns the trimmed lines that are not empty. */
function linesOf(content: string): string[] {
  return content.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

function tableRow(content: string, row: HtmlElement): string {
  const cells = [...row.childNodes].filter((node) => node.nodeName === "TD" || node.nodeName === "TH").length;
  if (cells === 0 || /^[\s|]*$/.test(content)) return "";
  const isFirst = tableOf(row)?.querySelector("tr") === row;
  return `\n|${content.replace(/\n+/g, "")}${isFirst ? `\n|${" --- |".repeat(cells)}` : ""}`;
}

function tableOf(row: HtmlElement): HtmlElement | null {
  let at = row.parentNode;
  while (at && at.nodeName !== "TABLE") at = at.parentNode;
  return at;
}

/**
 * Escapes heading and fence markers at the start of a paragraph. Inline markers stay, so that search finds
 * names such as `my_long_name`.
 */
function escapeBlocks(text: string): string {
  return text.replace(/^(\s*)(#{1,6}\s|```|~~~)/, "$1\\$2");
}

import type { HtmlElement } from "./html_tree.ts";

/** What is used of `turndown`, which comes without types. */
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

/** Elements whose text is not the page's. */
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
 * Markdown of an element: headings, lists, fences, tables with pipes. Links and pictures are their words only, since
 * addresses would fill the chunks and nobody searches for them.
 */
export async function htmlToMarkdown(root: HtmlElement): Promise<string> {
  // The build for browsers: the one for Node brings a second HTML parser.
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
  service.addRule("words of a link", { filter: "a", replacement: (content) => content });
  service.addRule("words of a picture", {
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

/** Attribute that tells the level of a heading whose element was renamed. */
export const LEVEL_ATTRIBUTE = "data-heading-level";

function heading(content: string, node: HtmlElement): string {
  const level = Number(node.getAttribute(LEVEL_ATTRIBUTE) ?? node.nodeName[1]);
  const words = content.replace(/\s+/g, " ").trim();
  return words === "" ? "" : `\n\n${"#".repeat(level)} ${words}\n\n`;
}

/** Writes list items; they come in the order of the page, so a count per list gives their numbers. */
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

/** Lines with words in them, without white space around. */
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
 * Escapes what would make a paragraph something else. Inside a line nothing is: a name such as `my_long_name` is found
 * and read as it was written.
 */
function escapeBlocks(text: string): string {
  return text.replace(/^(\s*)(#{1,6}\s|```|~~~)/, "$1\\$2");
}

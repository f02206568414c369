import { skipSpaceBack } from "../whitespace.ts";
import { collapseSpaces } from "./collapse_spaces.ts";
import { BLOCKS, INVISIBLE } from "./display.ts";
import type { HtmlElement } from "./element.ts";
import { codeSpan, escapeBlocks, fence, heading, isCodeBlock } from "./markdown_parts.ts";
import { ELEMENT, type HtmlLeaf, type HtmlNode, type HtmlParent, TEXT } from "./node.ts";
import { type TableGrid, tableGrid } from "./table_grid.ts";
import { measureEdges, type TextEdges } from "./text_edges.ts";

/**
 * Converts an element to Markdown with headings, lists, fences and pipe tables. Keeps only the text of links
 * and pictures: URLs would fill the chunks. Changes the tree.
 */
export function htmlToMarkdown(root: HtmlElement): string {
  collapseSpaces(root);
  const markdown = new MarkdownWriter(measureEdges(root)).contentOf(root, false);
  return markdown.slice(0, skipSpaceBack(markdown, 0, markdown.length)).replace(/^[\t\r\n]+/, "");
}

/** Writes elements by the rules of turndown, whose result it equals. */
class MarkdownWriter {
  readonly #edges: ReadonlyMap<HtmlNode, TextEdges>;
  /** Number of the next item by list. */
  readonly #numbers = new Map<HtmlNode, number>();
  readonly #grids = new Map<HtmlNode, TableGrid>();

  constructor(edges: ReadonlyMap<HtmlNode, TextEdges>) {
    this.#edges = edges;
  }

  /** Returns the Markdown of the children of a node. */
  contentOf(parent: HtmlParent, inCode: boolean): string {
    const output: string[] = [];
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      if (node.nodeType === TEXT) {
        const text = (node as HtmlLeaf).data;
        append(output, inCode ? text : escapeBlocks(text));
      } else if (node.nodeType === ELEMENT) {
        append(output, this.#element(node as HtmlElement, inCode || node.nodeName === "CODE"));
      }
    }
    return output.join("");
  }

  #element(element: HtmlElement, inCode: boolean): string {
    const { nodeName } = element;
    const isBlock = BLOCKS.has(nodeName);
    const edges = this.#edges.get(element)!;
    if (isBlock) return edges.isBlank ? "\n\n" : this.#convert(element, this.#content(element, inCode));
    const { leading, trailing } = this.#outerSpaces(element, edges);
    if (edges.isBlank) return leading + trailing;
    const content = this.#content(element, inCode);
    return leading + this.#convert(element, leading || trailing ? content.trim() : content) + trailing;
  }

  /** Returns the content of an element, unless it is not used. */
  #content(element: HtmlElement, inCode: boolean): string {
    return INVISIBLE.has(element.nodeName) || element.nodeName === "PRE"
      ? ""
      : this.contentOf(element, inCode);
  }

  #convert(element: HtmlElement, content: string): string {
    const { nodeName } = element;
    switch (nodeName) {
      case "P":
        return `\n\n${content}\n\n`;
      case "BR":
        return "  \n";
      case "HR":
        return "\n\n---\n\n";
      case "H1":
      case "H2":
      case "H3":
      case "H4":
      case "H5":
      case "H6":
        return heading(content, element);
      case "BLOCKQUOTE":
        return `\n\n${
          content.replace(/^\n+/, "").slice(0, -trailingNewlines(content) || undefined).replace(/^/gm, "> ")
        }\n\n`;
      case "UL":
      case "OL": {
        const { parentNode: parent } = element;
        return parent?.nodeName === "LI" && parent.lastElementChild === element
          ? `\n${content}`
          : `\n\n${content}\n\n`;
      }
      case "LI":
        return this.#item(content, element);
      case "TABLE":
        return this.#grid(element).isLayout
          ? `\n\n${content}\n\n`
          : `\n\n${content.trim().replace(/(?<=\|)\n{2,}(?=\|)/g, "\n")}\n\n`;
      case "CAPTION":
        return `\n\n${content}\n\n`;
      case "TR":
        return this.#row(content, element);
      case "TD":
      case "TH":
        return this.#cell(content, element);
      case "DT":
        return `\n\n${isPlain(content) ? `**${content.trim()}**` : content}\n\n`;
      case "MATH":
        return formula(element) ?? content;
      case "PRE":
        return fence(element);
      case "CODE":
        return isCodeBlock(element) ? content : codeSpan(content);
      case "EM":
      case "I":
        return content.trim() === "" ? "" : `*${content}*`;
      case "STRONG":
      case "B":
        return content.trim() === "" ? "" : `**${content}**`;
      case "IMG":
        return (element.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim();
      case "A":
        return content;
      default:
        if (INVISIBLE.has(nodeName)) return "";
        return BLOCKS.has(nodeName) ? `\n\n${content}\n\n` : content;
    }
  }

  /** Returns the white space around an inline element that its neighbors do not have already. */
  #outerSpaces(element: HtmlElement, edges: TextEdges): { leading: string; trailing: string } {
    let { leading } = edges;
    let trailing = edges.isSpace ? "" : edges.trailing;
    if (leading !== "" && isAsciiSpace(leading.charCodeAt(0))) {
      const previous = element.previousSibling;
      if (previous && this.#endsWithSpace(previous)) leading = leading.replace(/^[ \t\r\n]+/, "");
    }
    if (trailing !== "" && isAsciiSpace(trailing.charCodeAt(trailing.length - 1))) {
      const next = element.nextSibling;
      if (next && this.#startsWithSpace(next)) {
        let end = trailing.length;
        while (end > 0 && isAsciiSpace(trailing.charCodeAt(end - 1))) end--;
        trailing = trailing.slice(0, end);
      }
    }
    return { leading, trailing };
  }

  #endsWithSpace(node: HtmlNode): boolean {
    if (node.nodeType === TEXT) return (node as HtmlLeaf).data.endsWith(" ");
    return !BLOCKS.has(node.nodeName) && (this.#edges.get(node)?.trailing.endsWith(" ") ?? false);
  }

  #startsWithSpace(node: HtmlNode): boolean {
    if (node.nodeType === TEXT) return (node as HtmlLeaf).data.startsWith(" ");
    return !BLOCKS.has(node.nodeName) && (this.#edges.get(node)?.leading.startsWith(" ") ?? false);
  }

  #item(content: string, item: HtmlElement): string {
    const list = item.parentNode as HtmlElement | null;
    let mark = "- ";
    if (list?.nodeName === "OL") {
      const number = this.#numbers.get(list) ?? (Number.parseInt(list.getAttribute("start") ?? "", 10) || 1);
      this.#numbers.set(list, number + 1);
      mark = `${number}. `;
    }
    const indent = " ".repeat(mark.length);
    const body = content.trim().split("\n").map((line, at) =>
      at === 0 ? line.trimEnd() : `${indent}${line}`.trimEnd()
    ).join("\n");
    return body === "" ? "" : `\n${mark}${body}\n`;
  }

  #row(content: string, row: HtmlElement): string {
    const grid = this.#gridOf(row);
    if (!grid || grid.isLayout) return `\n\n${content}\n\n`;
    if (
      row.children.every(({ nodeName }) => nodeName !== "TD" && nodeName !== "TH") || /^[\s|]*$/.test(content)
    ) return "";
    const cells = grid.columns - (grid.ends.get(row) ?? grid.columns);
    const line = `\n|${content.replace(/\n+/g, "")}${" |".repeat(cells)}`;
    return grid.header === row ? `${line}\n|${" --- |".repeat(grid.columns)}` : line;
  }

  #cell(content: string, cell: HtmlElement): string {
    const grid = this.#gridOf(cell);
    if (!grid || grid.isLayout) return `\n\n${content}\n\n`;
    const { before = 0, columns = 1 } = grid.cells.get(cell) ?? {};
    const text = linesOf(content).join(" ").replace(/(?<!\\)\|/g, "\\|");
    return `${"  |".repeat(before)} ${text} |${"  |".repeat(columns - 1)}`;
  }

  #gridOf(element: HtmlElement): TableGrid | undefined {
    let table = element.parentNode;
    while (table && table.nodeName !== "TABLE") table = table.parentNode;
    return table ? this.#grid(table as HtmlElement) : undefined;
  }

  #grid(table: HtmlElement): TableGrid {
    let grid = this.#grids.get(table);
    if (!grid) this.#grids.set(table, grid = tableGrid(table));
    return grid;
  }
}

/** Whether text is one line without markers of emphasis. */
function isPlain(content: string): boolean {
  const text = content.trim();
  return text !== "" && !/[\n*]/.test(text);
}

/** Returns the LaTeX of a MathML formula, if it has some. */
function formula(math: HtmlElement): string | undefined {
  const annotation = (math.getElementsByTagName("annotation") as HtmlElement[])
    .find((each) => /tex/i.test(each.getAttribute("encoding") ?? ""));
  const source = (annotation?.textContent ?? math.getAttribute("alttext") ?? "").trim();
  return source === "" ? undefined : `$${source}$`;
}

/** Appends text with at most one empty line before it. The last string of `output` has all trailing newlines. */
function append(output: string[], text: string): void {
  const last = output.pop() ?? "";
  const trailing = trailingNewlines(last);
  let leading = 0;
  while (text.charCodeAt(leading) === 0x0a) leading++;
  if (trailing < last.length) output.push(trailing === 0 ? last : last.slice(0, -trailing));
  const separator = "\n".repeat(Math.min(2, Math.max(trailing, leading)));
  if (separator !== "") output.push(separator);
  if (leading < text.length) output.push(text.slice(leading));
}

function trailingNewlines(text: string): number {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x0a) end--;
  return text.length - end;
}

/** Returns the trimmed lines that are not empty. */
function linesOf(content: string): string[] {
  return content.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

function isAsciiSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

import { cellText } from "../markdown/table.ts";
import { oneLine } from "../whitespace.ts";
import { localName, textOf, type XmlElement } from "./element.ts";

/** Elements of document formats (DocBook, JATS, TEI, DITA, FictionBook) whose text is a heading. */
const TITLES = new Set(["title", "head", "article-title", "heading", "subtitle"]);
/** Elements with a heading and a text. */
const SECTIONS = new Set(
  ("article book part chapter preface appendix section sect1 sect2 sect3 sect4 sect5 sec body back front div div1 div2 " +
    "div3 topic concept task reference abstract glossary refsect1 refsect2 refsection info bookinfo articleinfo")
    .split(" "),
);
/** Elements whose text is a paragraph. */
const PARAGRAPHS = new Set("p para simpara formalpara l v ab stanza text-author".split(" "));
const CODE = new Set(
  "programlisting screen literallayout code-block codeblock pre synopsis preformat eg".split(" "),
);
const ITEMS = new Set("listitem item list-item li".split(" "));
/** Attributes that say how an element looks or what it is, not its content. */
const TECHNICAL =
  /^(?:xmlns|xmlns:.*|xsi:.*|xml:(?:space|base)|style|class|width|height|x\d?|y\d?|id|xml:id|version|transform|d|points|fill|stroke.*)$/;

/** Text of an XML document. */
export interface XmlText {
  readonly title: string | undefined;
  readonly text: string;
  /** `markdown` for a document with paragraphs and headings, `plain` for data. */
  readonly markup: "markdown" | "plain";
}

/**
 * Writes the text of any XML: of documents as paragraphs with headings, of data as lines `name: value` with an empty
 * line between records.
 */
export function writeXml(root: XmlElement): XmlText {
  const isDocument = countParagraphs(root) > 0;
  const writer = new XmlWriter(isDocument);
  writer.write(root, 0);
  const title = textOf(findTitle(root));
  return {
    title: title === "" ? undefined : title,
    text: writer.text(),
    markup: isDocument ? "markdown" : "plain",
  };
}

/** Returns the first title, by breadth; in JATS that of the article, before those of its sections. */
function findTitle(root: XmlElement): XmlElement | undefined {
  const wanted = new Set(
    root.name === "article" && root.childrenNamed("front").length > 0 ? ["article-title"] : ["title"],
  );
  let level = [root];
  for (let depth = 0; depth < 6 && level.length > 0; depth++) {
    const found = level.flatMap((each) => each.elements).find(({ name }) => wanted.has(name));
    if (found) return found;
    level = level.flatMap((each) => each.elements).slice(0, 1000);
  }
  return undefined;
}

function countParagraphs(element: XmlElement): number {
  let count = PARAGRAPHS.has(element.name) ? 1 : 0;
  for (const child of element.elements) count += countParagraphs(child);
  return count;
}

class XmlWriter {
  readonly #isDocument: boolean;
  readonly #lines: string[] = [];

  constructor(isDocument: boolean) {
    this.#isDocument = isDocument;
  }

  text(): string {
    return this.#lines.join("\n").replace(/\n{3,}/g, "\n\n").trim() + "\n";
  }

  write(element: XmlElement, sections: number): void {
    const { name } = element;
    if (this.#isDocument && this.#writeBlock(element, sections)) return;
    const children = element.elements;
    if (hasOwnText(element) || children.length === 0) return this.#writeLeaf(element);
    const isRecord = !this.#isDocument && children.length > 1;
    if (isRecord) this.#lines.push("");
    if (!this.#isDocument) this.#lines.push(...attributesOf(element));
    const depth = SECTIONS.has(name) ? sections + 1 : sections;
    for (const child of children) this.write(child, depth);
    if (isRecord) this.#lines.push("");
  }

  /** Writes an element of a document format. Returns false for others. */
  #writeBlock(element: XmlElement, sections: number): boolean {
    const { name } = element;
    if (CODE.has(name)) this.#block("```", element.text.replace(/^\n/, "").trimEnd(), "```");
    else if (TITLES.has(name)) {
      this.#block(`${"#".repeat(Math.min(6, Math.max(1, sections)))} ${textOf(element)}`);
    } else if (PARAGRAPHS.has(name) && element.elements.every(isInline)) this.#block(textOf(element));
    else if (name === "tr" || name === "row") {
      this.#lines.push(
        `| ${element.elements.map((cell) => cellText(cell.text)).join(" | ")} |`,
      );
    } else if (ITEMS.has(name) && !/listitem/.test(element.elements.map((each) => each.name).join())) {
      this.#lines.push("", `- ${textOf(element)}`, "");
    } else return false;
    return true;
  }

  #block(...lines: string[]): void {
    if (lines.some((line) => line.trim() !== "")) this.#lines.push("", ...lines, "");
  }

  #writeLeaf(element: XmlElement): void {
    const text = textOf(element);
    const attributes = attributesOf(element);
    if (this.#isDocument) {
      if (text !== "") this.#block(text);
      return;
    }
    const label = [element.name, ...attributes.map((each) => each.replace(": ", "="))].join(" ");
    if (text !== "") this.#lines.push(`${label}: ${text}`);
    else if (attributes.length > 0) this.#lines.push(label);
  }
}

function isInline(element: XmlElement): boolean {
  return !CODE.has(element.name) && !ITEMS.has(element.name) && !PARAGRAPHS.has(element.name) &&
    element.elements.every(isInline);
}

/** Whether an element has text next to its child elements. */
function hasOwnText({ children }: XmlElement): boolean {
  return children.some((child) => typeof child === "string" && child.trim() !== "");
}

function attributesOf({ attributes }: XmlElement): string[] {
  return Object.entries(attributes).filter(([name, value]) => !TECHNICAL.test(name) && value.trim() !== "")
    .map(([name, value]) => `${localName(name)}: ${oneLine(value)}`);
}

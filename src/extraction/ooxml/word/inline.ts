import { decodeSymbols, symbolCharacter } from "../../symbol_fonts.ts";
import type { XmlElement } from "../../xml/element.ts";
import { alternative } from "../alternative.ts";
import { latexOf } from "../math.ts";

/** Receives what is not part of a paragraph's own text. */
export interface InlineReceiver {
  /** Returns the mark of a footnote or endnote. */
  note(kind: "footnote" | "endnote", id: string): string;
  comment(id: string): void;
  /** A picture, shape, chart or text box. */
  drawing(element: XmlElement): void;
}

/** Fields whose result is not text of the document: numbers of pages. */
const PAGE_FIELD = /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i;

/** Maximum number of nested fields; all are inspected for each run. */
const MAX_FIELDS = 100;

/** Elements without text: properties, deleted and moved text, instructions of fields. */
const SKIPPED = new Set([
  "w:pPr",
  "w:rPr",
  "w:tblPr",
  "w:sdtPr",
  "w:sdtEndPr",
  "w:del",
  "w:moveFrom",
  "w:delText",
  "w:delInstrText",
  "w:softHyphen",
  "w:annotationRef",
  "w:footnoteRef",
  "w:endnoteRef",
]);

/** Text of a paragraph. */
export interface InlineText {
  readonly text: string;
  /** Whether a field with the number of a page was left out. */
  readonly hasPageField: boolean;
}

/** Returns the text of a Word paragraph: inserted text, results of fields, equations as LaTeX. */
export function inlineText(paragraph: XmlElement, receiver: InlineReceiver): InlineText {
  const writer = new InlineWriter(receiver);
  writer.children(paragraph);
  return writer;
}

class InlineWriter implements InlineText {
  text = "";
  hasPageField = false;
  readonly #receiver: InlineReceiver;
  /** The open fields, from the outermost. */
  readonly #fields: { instruction: string; hasResult: boolean }[] = [];

  constructor(receiver: InlineReceiver) {
    this.#receiver = receiver;
  }

  children(parent: XmlElement): void {
    for (const child of parent.children) if (typeof child !== "string") this.#element(child);
  }

  #element(element: XmlElement): void {
    if (SKIPPED.has(element.name)) return;
    switch (element.name) {
      case "w:r":
        return this.#run(element);
      case "w:fldSimple":
        if (this.#isPageField(element.get("w:instr") ?? "")) return;
        return this.children(element);
      case "mc:AlternateContent":
        return this.children(alternative(element));
      case "m:oMathPara":
        return element.elements.filter(({ name }) => name === "m:oMath").forEach((equation) =>
          this.#add(`\n$$${latexOf(equation)}$$\n`)
        );
      case "m:oMath": {
        const latex = latexOf(element);
        return latex === "" ? undefined : this.#add(`$${latex}$`);
      }
      case "w:commentReference":
        return this.#receiver.comment(element.get("w:id") ?? "");
      case "w:ruby":
        return this.#ruby(element);
      default:
        return this.children(element);
    }
  }

  #run(run: XmlElement): void {
    const properties = run.child("w:rPr");
    if (properties && isOn(properties.child("w:vanish")) && !isOn(properties.child("w:specVanish"))) return;
    const font = properties?.child("w:rFonts")?.get("w:ascii");
    for (const child of run.elements) this.#part(child, font);
  }

  #part(element: XmlElement, font: string | undefined): void {
    switch (element.name) {
      case "w:t":
        return this.#add(decodeSymbols(element.text, font));
      case "w:tab":
      case "w:ptab":
        return this.#add("\t");
      case "w:br":
      case "w:cr":
        return this.#add("\n");
      case "w:noBreakHyphen":
        return this.#add("\u2011");
      case "w:sym": {
        const code = Number.parseInt(element.get("w:char") ?? "", 16);
        return this.#add(Number.isNaN(code) ? "" : symbol(element.get("w:font") ?? "", code));
      }
      case "w:fldChar":
        return this.#field(element.get("w:fldCharType"));
      case "w:instrText": {
        const field = this.#fields.at(-1);
        if (field) field.instruction += element.text;
        return;
      }
      case "w:footnoteReference":
        return this.#add(this.#receiver.note("footnote", element.get("w:id") ?? ""));
      case "w:endnoteReference":
        return this.#add(this.#receiver.note("endnote", element.get("w:id") ?? ""));
      case "w:drawing":
      case "w:pict":
      case "w:object":
        return this.#receiver.drawing(element);
      case "mc:AlternateContent":
        return alternative(element).elements.forEach((child) => this.#part(child, font));
      default:
        return this.#element(element);
    }
  }

  #field(type: string | undefined): void {
    if (type === "begin") {
      if (this.#fields.length < MAX_FIELDS) this.#fields.push({ instruction: "", hasResult: false });
    } else if (type === "end") this.#fields.pop();
    else if (type === "separate") {
      const field = this.#fields.at(-1);
      if (field) field.hasResult = true;
    }
  }

  /** Writes the reading of Japanese or Chinese characters in parentheses after them (§17.3.3.25). */
  #ruby(element: XmlElement): void {
    const base = element.child("w:rubyBase");
    if (base) this.children(base);
    const reading = element.child("w:rt")?.descendants("w:t").map((part) => part.text).join("") ?? "";
    if (reading !== "") this.#add(`（${reading}）`);
  }

  #isPageField(instruction: string): boolean {
    const isPageField = PAGE_FIELD.test(instruction);
    this.hasPageField ||= isPageField;
    return isPageField;
  }

  #add(text: string): void {
    // Text between the start of a field and its result belongs to nested fields of its instruction.
    if (this.#fields.some((field) => !field.hasResult || this.#isPageField(field.instruction))) return;
    this.text += text;
  }
}

function symbol(font: string, code: number): string {
  return symbolCharacter(font, code) ?? (code >= 0xf000 && code <= 0xf0ff ? "" : String.fromCharCode(code));
}

/** Whether a property is present and not switched off (§17.17.4). */
function isOn(property: XmlElement | undefined): boolean {
  return property !== undefined && !/^(?:0|false|off)$/.test(property.get("w:val") ?? "");
}

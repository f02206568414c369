import { documentTitle } from "../document_title.ts";
import { noText } from "../errors.ts";
import { fragmentToMarkdown } from "../html/fragment.ts";
import { fencedCode } from "../markdown/fence.ts";
import { normalizeText } from "../normalize.ts";
import { textDocument } from "../text_document.ts";
import { readText } from "../text_file.ts";
import { firstHeading } from "../title.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Maximum length of the outputs of a cell, in UTF-16 code units: training logs repeat. */
const MAX_OUTPUT_CHARS = 10_000;

/** A cell, as far as it is read. Any field may be missing or of another type. */
interface Cell {
  readonly cell_type?: unknown;
  readonly source?: unknown;
  /** Source of a code cell in format 3. */
  readonly input?: unknown;
  readonly language?: unknown;
  readonly level?: unknown;
  readonly outputs?: unknown;
}

/** Reads a Jupyter notebook of format 3 or 4: its texts, its code, and the text of its outputs. */
export async function extractNotebook(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const source = await readText(file, context);
  const notebook = parse(source.text);
  if (!notebook) {
    const warnings = ["The file is no valid notebook, and was read as plain text."];
    return textDocument(
      { docType: "ipynb", title: undefined, text: source.text, markup: "plain", warnings },
      source,
    );
  }
  const { metadata = {} } = notebook;
  const kernel = record(metadata["kernelspec"]);
  const language = string(record(metadata["language_info"])["name"]) ?? string(kernel["language"]) ?? "";
  const cells = list(
    notebook.cells ?? list(notebook.worksheets).flatMap((sheet) => list(record(sheet)["cells"])),
  );
  const blocks = cells.flatMap((cell) => writeCell(record(cell), language, name)).filter((block) =>
    block !== ""
  );
  const text = normalizeText(`${blocks.join("\n\n")}\n`);
  if (text.trim() === "") {
    throw noText(name, "the notebook has no cells with text", "run it, or write text in it");
  }
  const authors = list(metadata["authors"]).map((author) => string(record(author)["name"])).filter(Boolean)
    .join(", ");
  return textDocument({
    docType: "ipynb",
    title: documentTitle(metadata["title"], file.filename) ?? firstHeading(text),
    text,
    markup: "markdown",
    metadata: { author: authors || undefined },
  }, source);
}

function parse(
  text: string,
): { cells?: unknown; worksheets?: unknown; metadata?: Record<string, unknown> } | undefined {
  try {
    const value = record(JSON.parse(text));
    return Array.isArray(value["cells"]) || Array.isArray(value["worksheets"])
      ? { ...value, metadata: record(value["metadata"]) }
      : undefined;
  } catch {
    return undefined;
  }
}

function writeCell(cell: Cell, language: string, name: string): string[] {
  const source = joined(cell.source ?? cell.input).trim();
  switch (cell.cell_type) {
    case "code":
      return [
        ...(source === "" ? [] : [fencedCode(source, string(cell.language) ?? language)]),
        ...outputs(cell, name),
      ];
    case "heading":
      return [`${"#".repeat(Math.min(6, Math.max(1, Number(cell.level) || 1)))} ${source}`];
    case "markdown":
      // Pictures are pasted as data URLs.
      return [source.replace(/!\[([^\]]{0,1000})\]\((?:attachment:|data:)[^)\s]*\)/g, "$1")];
    default:
      return [source];
  }
}

function outputs(cell: Cell, name: string): string[] {
  const texts = list(cell.outputs).map((each) => outputText(record(each), name).trim()).filter((text) =>
    text !== ""
  );
  const all = texts.join("\n");
  if (all === "") return [];
  const shown = all.length <= MAX_OUTPUT_CHARS
    ? all
    : `${all.slice(0, MAX_OUTPUT_CHARS).toWellFormed()}\n… (${
      all.length - MAX_OUTPUT_CHARS
    } more characters of output)`;
  return [isTable(shown) ? shown : fencedCode(shown)];
}

function outputText(output: Record<string, unknown>, name: string): string {
  // Format 3 has the data next to the type.
  const data = output["data"] === undefined ? output : record(output["data"]);
  const markdown = joined(data["text/markdown"]);
  if (markdown !== "") return markdown;
  const plain = joined(data["text/plain"] ?? output["text"]);
  const html = joined(data["text/html"] ?? data["html"]);
  // Tables of data frames are complete in HTML, and aligned by spaces in text.
  if (/<table/i.test(html)) return fragmentToMarkdown(html, name);
  if (plain !== "") return withoutColors(plain);
  if (html !== "") return fragmentToMarkdown(html, name);
  if (output["output_type"] === "error" || output["output_type"] === "pyerr") {
    return `${joined(output["ename"])}: ${joined(output["evalue"])}`;
  }
  return "";
}

function isTable(text: string): boolean {
  return /^\|.*\|\n\|[ :|-]+\|/m.test(text);
}

function withoutColors(text: string): string {
  // deno-lint-ignore no-control-regex -- removes terminal colors
  return text.replace(/\u001b\[[0-9;]*m/g, "");
}

/** Returns a text that is one string or a list of lines. */
function joined(value: unknown): string {
  return Array.isArray(value)
    ? value.filter((line) => typeof line === "string").join("")
    : string(value) ?? "";
}

function string(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Record<string, unknown>
    : {};
}

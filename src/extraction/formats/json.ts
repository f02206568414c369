import { documentTitle } from "../document_title.ts";
import { noText } from "../errors.ts";
import { JsonWriter } from "../json/write_json.ts";
import { textDocument } from "../text_document.ts";
import { readText } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/**
 * Reads JSON and JSON Lines as lines `path: value`, with an empty line between records. Text that is no JSON stays as
 * it is, with a warning.
 */
export async function extractJson(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const source = await readText(file, context);
  const writer = new JsonWriter(context);
  const value = parse(source.text);
  let title: unknown;
  let warnings: string[] = [];
  if (value) {
    writer.write(value.parsed);
    title = titleOf(value.parsed);
  } else if (!writeLines(source.text, writer)) {
    warnings = ["The file is no valid JSON, and was read as plain text."];
    return textDocument(
      { docType: "json", title: undefined, text: source.text, markup: "plain", warnings },
      source,
    );
  }
  const { text, outline } = writer.result();
  if (text.trim() === "") throw noText(name, "its values are empty", "upload a file with words in it");
  return textDocument({
    docType: "json",
    title: documentTitle(title, file.filename),
    text,
    markup: "plain",
    ...(outline.length > 0 && { outline }),
  }, source);
}

function parse(text: string): { parsed: unknown } | undefined {
  try {
    return { parsed: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Writes JSON Lines. Returns false unless most lines are JSON; the others are kept as they are. */
function writeLines(text: string, writer: JsonWriter): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const isRecord = (line: string) => /^\s*[{[]/.test(line);
  const sample = lines.slice(0, 20);
  const valid = sample.filter((line) => isRecord(line) && parse(line) !== undefined).length;
  if (lines.length < 2 || valid < sample.length * 0.8) return false;
  for (const line of lines) {
    const value = parse(line);
    if (value) writer.writeRecord(value.parsed);
    else writer.writeText(line);
  }
  return true;
}

function titleOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { title, name } = value as Record<string, unknown>;
  return typeof title === "string" ? title : typeof name === "string" ? name : undefined;
}

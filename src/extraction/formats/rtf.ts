import { damaged, ExtractionError, onlyPictures } from "../errors.ts";
import { MarkdownWriter } from "../markdown/writer.ts";
import { isoDate } from "../properties.ts";
import { readRtf } from "../rtf/reader.ts";
import { cleanTitle } from "../title.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import { writtenText } from "../written_text.ts";

/** Converts rich text to Markdown. Pictures and embedded objects are left out. */
export function extractRtf(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  return Promise.resolve().then(() => convert(file, context));
}

function convert(file: SourceFile, { name, maxTextChars }: ExtractionContext): ExtractedText {
  const writer = new MarkdownWriter(name, maxTextChars);
  let result;
  try {
    result = readRtf(file.bytes, writer);
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw damaged(
      name,
      "it is not valid rich text. Open it in a word processor, save it again and upload that",
      error,
    );
  }
  if (writer.isEmpty) {
    if (result.isTruncated) throw damaged(name, "it is truncated. Upload the original file");
    throw onlyPictures(name);
  }
  const metadata = readProperties(result.properties);
  return {
    ...writtenText(writer, { docType: "rtf", filename: file.filename, metadata }),
    ...(result.isTruncated ? { warnings: ["The file is truncated: text may be missing at its end"] } : {}),
  };
}

function readProperties(properties: ReadonlyMap<string, string>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const key of ["title", "author", "subject", "keywords", "created", "modified", "generator"]) {
    const text = properties.get(key);
    const value = key === "created" || key === "modified"
      ? isoDate(dateOf(text))
      : cleanTitle(text?.replace(/;\s*$/, ""));
    if (value !== undefined) found[key] = value;
  }
  return found;
}

/** Returns the date of a property (`yr2024 mo5 dy1 hr10 min0`) as ISO 8601. */
function dateOf(property: string | undefined): string | undefined {
  const number = (unit: string) =>
    new RegExp(`${unit}(\\d+)`).exec(property ?? "")?.[1]?.padStart(2, "0") ?? "00";
  return property === undefined
    ? undefined
    : `${number("yr")}-${number("mo")}-${number("dy")}T${number("hr")}:${number("min")}`;
}

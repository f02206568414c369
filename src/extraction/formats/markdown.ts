import { noText } from "../errors.ts";
import { frontMatterTags, readFrontMatter } from "../front_matter.ts";
import { repairFrontMatter } from "../repair_front_matter.ts";
import { readText } from "../text_file.ts";
import { cleanTitle, firstHeading } from "../title.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

const REPAIRED =
  "The front matter is no valid YAML, and was read line by line: check the title, tags and metadata.";

/** Reads Markdown. Front matter provides title, tags and metadata, also if it is not quite valid. */
export async function extractMarkdown(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const { text: source, metadata: decoding, warnings } = await readText(file, context);
  const valid = await readFrontMatter(source);
  const repaired = valid ? undefined : await repairFrontMatter(source);
  const { metadata, body } = valid ?? repaired ?? { metadata: undefined, body: source };
  const text = body.replace(/^\s*\n/, "");
  if (text.trim() === "") throw noText(name, "it holds only front matter", "write something under it");
  return {
    docType: "markdown",
    title: cleanTitle(metadata?.["title"]) ?? firstHeading(text),
    text,
    markup: "markdown",
    pageStarts: undefined,
    metadata: decoding || metadata ? { ...metadata, ...decoding } : undefined,
    warnings: repaired ? [...warnings, REPAIRED] : warnings,
    tags: metadata ? frontMatterTags(metadata) : [],
  };
}

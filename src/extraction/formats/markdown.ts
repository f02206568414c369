import { cleanTitle, firstHeading } from "../document_title.ts";
import { noText } from "../failures.ts";
import { frontMatterTags, readFrontMatter } from "../front_matter.ts";
import type { ExtractedText, SourceFile } from "../types.ts";
import { readText } from "./plain_text.ts";

/** Markdown, with its front matter taken out of the text. */
export async function extractMarkdown(file: SourceFile, name: string): Promise<ExtractedText> {
  const source = await readText(file, name);
  const { metadata, body } = await readFrontMatter(source) ?? { metadata: undefined, body: source };
  const text = body.replace(/^\s*\n/, "");
  if (text.trim() === "") throw noText(name, "it holds only front matter", "write something under it");
  return {
    docType: "markdown",
    title: cleanTitle(metadata?.["title"]) ?? firstHeading(text),
    text,
    markup: "markdown",
    pageStarts: undefined,
    metadata,
    tags: metadata ? frontMatterTags(metadata) : [],
  };
}

import { documentTitle } from "../document_title.ts";
import { noText } from "../errors.ts";
import { normalizeText } from "../normalize.ts";
import { textDocument } from "../text_document.ts";
import { readText } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import { isFeed, writeFeed } from "../xml/feed.ts";
import { writeXml } from "../xml/generic.ts";
import { parseXml } from "../xml/parse_xml.ts";

/** Reads XML: feeds with their items, documents with their headings, data as `name: value`. */
export async function extractXml(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const source = await readText(file, context);
  const root = parseXml(source.text, name);
  if (!root) {
    const warnings = ["The file has no XML element, and was read as plain text."];
    return textDocument(
      { docType: "xml", title: undefined, text: source.text, markup: "plain", warnings },
      source,
    );
  }
  const feed = isFeed(root) ? writeFeed(root, name) : undefined;
  const written = feed ? { ...feed, markup: "markdown" as const } : writeXml(root);
  const text = normalizeText(written.text);
  if (text.trim() === "") throw noText(name, "its elements have no text", "upload a file with words in it");
  return textDocument({
    docType: "xml",
    title: documentTitle(written.title, file.filename),
    text,
    markup: written.markup,
    metadata: { language: root.get("xml:lang") || undefined, ...feed?.metadata },
  }, source);
}

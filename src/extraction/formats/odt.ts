import { ExtractionError, onlyPictures } from "../errors.ts";
import { MarkdownWriter } from "../markdown/writer.ts";
import { OdfConverter } from "../odf/converter.ts";
import { masterPageLines } from "../odf/master_pages.ts";
import { OdfPackage } from "../odf/package.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import { writtenText } from "../written_text.ts";
import { unreadableXml } from "../xml/read_xml.ts";

/** Elements of the body that are converted one by one. */
const BLOCKS = new Set([
  "text:h",
  "text:p",
  "text:list",
  "text:ordered-list",
  "text:unordered-list",
  "text:table-of-content",
  "text:tracked-changes",
  "table:table",
  "draw:frame",
  "draw:custom-shape",
  "draw:g",
  "draw:rect",
]);

/** Converts an OpenDocument text to Markdown, with its notes, comments, text boxes and formulas. */
export async function extractOdt(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const source = await OdfPackage.open(file, name);
  const writer = new MarkdownWriter(name, context.maxTextChars);
  try {
    const converter = new OdfConverter(source, writer);
    let hasStyles = false;
    source.read("content.xml", {
      blocks: BLOCKS,
      onBlock: (block, ancestors) => {
        // Paragraphs of page styles are not part of the body.
        if (!ancestors.some((ancestor) => ancestor.name === "office:body")) return;
        if (!hasStyles) converter.styles.add(ancestors[0]);
        hasStyles = true;
        converter.block(block);
      },
    });
    converter.finish();
    for (const line of masterPageLines(source.tryRead("styles.xml"))) writer.paragraph(line);
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw unreadableXml(
      name,
      "it is not a valid OpenDocument text. Open it in LibreOffice, save it again and upload that",
      error,
    );
  }
  if (writer.isEmpty) {
    throw onlyPictures(name);
  }
  const metadata = source.readMetadata();
  return writtenText(writer, { docType: "odt", filename: file.filename, metadata });
}

import { documentTitle } from "../document_title.ts";
import { ExtractionError, onlyPictures } from "../errors.ts";
import { MarkdownWriter } from "../markdown/writer.ts";
import { OoxmlPackage } from "../ooxml/package.ts";
import { readCoreProperties } from "../ooxml/properties.ts";
import { WordConverter } from "../ooxml/word/converter.ts";
import { headerLines } from "../ooxml/word/headers.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import type { XmlElement } from "../xml/element.ts";
import { writtenText } from "../written_text.ts";
import { unreadableXml } from "../xml/read_xml.ts";

/** Elements of the body that are converted one by one. */
const BLOCKS = new Set(["w:p", "w:tbl", "m:oMathPara"]);

/** Converts a Word document to Markdown, with its notes, comments, text boxes and equations. */
export async function extractDocx(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const source = await OoxmlPackage.open(file, name);
  const path = source.mainPart(name, "word/document.xml");
  const writer = new MarkdownWriter(name, context.maxTextChars);
  let largestText: string | undefined;
  try {
    largestText = convert(source, path, writer);
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw unreadableXml(
      name,
      "it is not a valid Word document. Open it in Word, save it again and upload that",
      error,
    );
  }
  if (writer.isEmpty) {
    throw onlyPictures(name);
  }
  const metadata = readCoreProperties(source);
  const text = writtenText(writer, { docType: "docx", filename: file.filename, metadata });
  return { ...text, title: text.title ?? documentTitle(largestText, file.filename) };
}

/** Writes the document, and returns the largest text of its first page. */
function convert(source: OoxmlPackage, path: string, writer: MarkdownWriter): string | undefined {
  const converter = new WordConverter(source, path, writer);
  const headers = new Set<string>();
  const addHeaders = (section: XmlElement | undefined) => {
    if (section) { for (const line of headerLines(source, path, section)) headers.add(line); }
  };
  const root = source.read(path, {
    blocks: BLOCKS,
    onBlock: (block, ancestors) => {
      if (ancestors.some(isContents)) return;
      addHeaders(block.path("w:pPr", "w:sectPr"));
      converter.block(block);
    },
  })!;
  if (root.name !== "w:document") throw new TypeError(`The root must be w:document, got ${root.name}`);
  converter.finish();
  addHeaders(root.path("w:body", "w:sectPr"));
  for (const line of headers) writer.paragraph(line);
  return converter.largestText;
}

/** Whether an element is a generated table of contents, which repeats the headings. */
function isContents(element: XmlElement): boolean {
  return element.name === "w:sdt" &&
    element.path("w:sdtPr", "w:docPartObj", "w:docPartGallery")?.get("w:val") === "Table of Contents";
}

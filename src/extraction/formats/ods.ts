import { OdfPackage } from "../odf/package.ts";
import { parseOdsContent } from "../sheets/ods_content.ts";
import { WorkbookWriter } from "../sheets/workbook.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import { unreadableXml, XmlError } from "../xml/read_xml.ts";
import { streamedParts } from "../archive/zip_stream.ts";

/** Converts an OpenDocument spreadsheet to Markdown: one heading and table per sheet, with its comments. */
export async function extractOds(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const isStreamed = (path: string) => path === "content.xml";
  const parts = streamedParts(file, name, isStreamed);
  const source = await OdfPackage.open(file, name, { isStreamed });
  const writer = new WorkbookWriter(context);
  try {
    parseOdsContent(parts.read("content.xml"), {
      onSheet: (sheet) => writer.add(sheet.name, sheet.isHidden, sheet),
      onRow: (done) => context.onProgress({ unit: "rows", done }),
      onCell: (chars) => writer.reserve(chars),
    });
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw unreadableXml(
      name,
      "it is not a valid spreadsheet. Open it in LibreOffice, save it again and upload that",
      error,
    );
  }
  return writer.finish("ods", { properties: source.readMetadata(), filename: file.filename });
}

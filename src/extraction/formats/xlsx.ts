import { ExtractionError } from "../errors.ts";
import { MAX_SHEETS } from "../limits.ts";
import { OoxmlPackage } from "../ooxml/package.ts";
import { readCoreProperties } from "../ooxml/properties.ts";
import { NumberFormatter } from "../sheets/number_format.ts";
import { WorkbookWriter } from "../sheets/workbook.ts";
import { readComments, readDrawings } from "../sheets/xlsx_parts.ts";
import { parseSharedStrings, parseXlsxSheet } from "../sheets/xlsx_sheet.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import type { XmlElement } from "../xml/element.ts";
import { unreadableXml, XmlError } from "../xml/read_xml.ts";
import { streamedParts } from "../archive/zip_stream.ts";

/** Converts a workbook to Markdown: one heading and table per sheet, with its comments and text boxes. */
export async function extractXlsx(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  try {
    return await convert(file, context);
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    if (!(error instanceof XmlError)) throw error;
    throw unreadableXml(
      name,
      "it is not a valid workbook. Open it in Excel, save it again and upload that",
      error,
    );
  }
}

async function convert(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const parts = streamedParts(file, name, isStreamed);
  const source = await OoxmlPackage.open(file, name, { isStreamed });
  const path = source.mainPart(name, "xl/workbook.xml");
  const workbook = source.read(path)!;
  const date1904 = /^(?:1|true|on)$/.test(workbook.child("x:workbookPr")?.get("date1904") ?? "");
  const stringsPath = source.related(path, "sharedStrings");
  const strings = stringsPath !== undefined && parts.has(stringsPath)
    ? parseSharedStrings(parts.read(stringsPath))
    : [];
  const formats = readFormats(source.tryRead(source.related(path, "styles")));
  const numbers = await NumberFormatter.create(date1904);
  const writer = new WorkbookWriter(context);
  const relationships = source.relationships(path);
  let [rowsBefore, uncalculated] = [0, 0];

  for (const sheet of (workbook.child("x:sheets")?.elements ?? []).slice(0, MAX_SHEETS)) {
    const target = relationships.get(sheet.get("r:id") ?? "")?.target;
    if (target === undefined) continue;
    const links = source.relationships(target);
    const parsed = parts.has(target)
      ? parseXlsxSheet(parts.read(target), {
        strings,
        formats,
        numbers,
        linkTarget: (id) => links.get(id)?.target,
        onCell: (chars) => writer.reserve(chars),
        onRow: (rows) => context.onProgress({ unit: "rows", done: rowsBefore + rows }),
      })
      : { rows: [], texts: [], uncalculated: 0 };
    rowsBefore += parsed.rows.length;
    uncalculated += parsed.uncalculated;
    writer.add(sheet.get("name") ?? "", /hidden/i.test(sheet.get("state") ?? ""), {
      rows: parsed.rows,
      comments: readComments(source, target),
      texts: [...parsed.texts, ...readDrawings(source, target)],
    });
  }
  return writer.finish("xlsx", {
    properties: readCoreProperties(source),
    filename: file.filename,
    warnings: uncalculated === 0 ? [] : [
      `Formulas without a stored result: ${uncalculated}. They are shown as formulas: open the workbook in Excel or LibreOffice, save it and upload it again.`,
    ],
  });
}

/** Whether a part is read without its tree. Other parts of a sheet are small. */
function isStreamed(path: string): boolean {
  return /(?:^|\/)worksheets\/[^/]+\.xml$|(?:^|\/)sharedStrings\.xml$/i.test(path);
}

/** Returns the number format of each cell style (ECMA-376 part 1 §18.8.10). */
function readFormats(styles: XmlElement | undefined): (string | number)[] {
  const codes = new Map(
    (styles?.child("x:numFmts")?.elements ?? []).map((
      format,
    ) => [format.get("numFmtId"), format.get("formatCode") ?? ""]),
  );
  return (styles?.child("x:cellXfs")?.elements ?? []).map((style) => {
    const id = style.get("numFmtId") ?? "0";
    return codes.get(id) ?? Number(id);
  });
}

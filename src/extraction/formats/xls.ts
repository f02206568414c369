import type { CellObject, WorkBook, WorkSheet } from "@e965/xlsx";
import { damaged, encrypted } from "../errors.ts";
import { definedFields, isoTime } from "../properties.ts";
import { linkText, referenceOf } from "../sheets/cells.ts";
import { generalNumber } from "../sheets/number_format.ts";
import type { SheetRow } from "../sheets/sheet_text.ts";
import { type SheetComment, type SheetContent, withoutAuthor, WorkbookWriter } from "../sheets/workbook.ts";
import { cleanTitle } from "../title.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Converts a workbook of Excel 2.0 to 2003 (BIFF) to Markdown with SheetJS: one heading and table per sheet. */
export async function extractXls(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const library = await import("@e965/xlsx");
  // Code pages of workbooks before Excel 97.
  library.set_cptable(await import("@e965/xlsx/dist/cpexcel.full.mjs"));
  let workbook: WorkBook;
  try {
    workbook = library.read(file.bytes, {
      type: "array",
      dense: true,
      cellFormula: false,
      cellHTML: false,
      cellNF: true,
      dateNF: "yyyy-mm-dd",
    });
  } catch (error) {
    if (error instanceof Error && /password|encrypt/i.test(error.message)) throw encrypted(name, error);
    throw damaged(
      name,
      "it is not a valid workbook. Open it in Excel, save it as .xlsx and upload that",
      error,
    );
  }
  const writer = new WorkbookWriter(context);
  let rows = 0;
  for (const [index, sheet] of workbook.SheetNames.entries()) {
    const content = readSheet(workbook.Sheets[sheet], (chars) => writer.reserve(chars));
    rows += content.rows.length;
    context.onProgress({ unit: "rows", done: rows });
    writer.add(sheet, (workbook.Workbook?.Sheets?.[index]?.Hidden ?? 0) > 0, content);
    delete workbook.Sheets[sheet];
  }
  return writer.finish("xls", { properties: readProperties(workbook), filename: file.filename });
}

function readSheet(sheet: WorkSheet | undefined, onCell: (chars: number) => void): SheetContent {
  const rows: SheetRow[] = [];
  const comments: SheetComment[] = [];
  // Rows and cells without content are holes.
  (sheet?.["!data"] ?? []).forEach((cells: (CellObject | undefined)[], row: number) => {
    const texts: string[] = [];
    const columns: number[] = [];
    cells.forEach((cell, column) => {
      if (!cell) return;
      for (const { a: author, t: text = "" } of cell.c ?? []) {
        comments.push({ cell: referenceOf({ row, column }), author, text: withoutAuthor(text, author) });
      }
      const text = textOf(cell);
      if (text === "") return;
      onCell(text.length);
      texts.push(cell.l?.Target ? linkText(text, cell.l.Target) : text);
      columns.push(column);
    });
    rows.push({ texts, columns });
  });
  return { rows, comments, texts: [] };
}

/** Returns the value as Excel shows it; one that its format hides, as it is stored. */
function textOf({ t: type, w: shown, v: value, z: format = "General" }: CellObject): string {
  if (type === "z") return "";
  if (type === "b") return value ? "TRUE" : "FALSE";
  const general = type === "n" && format === "General" ? generalNumber(Number(value)) : undefined;
  if (general !== undefined) return general;
  return shown?.trim() || String(value ?? "");
}

function readProperties({ Props: properties = {} }: WorkBook): Record<string, string> {
  return definedFields({
    title: cleanTitle(properties.Title),
    author: cleanTitle(properties.Author),
    subject: cleanTitle(properties.Subject),
    keywords: cleanTitle(properties.Keywords),
    created: dateOf(properties.CreatedDate),
    modified: dateOf(properties.ModifiedDate),
    generator: cleanTitle(properties.Application),
  });
}

function dateOf(value: unknown): string | undefined {
  return value instanceof Date ? isoTime(value) : undefined;
}

import { extensionOf } from "../detect.ts";
import { detectDelimiter, hasHeaderRow, parseCsv } from "../sheets/parse_csv.ts";
import { type SheetRow, writeSheet } from "../sheets/sheet_text.ts";
import { SheetWriter } from "../sheets/sheet_writer.ts";
import { readText } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Number of rows between two reports of progress. */
const ROWS_PER_PROGRESS = 10_000;

/** Reads comma-separated values and their relatives as one Markdown table. */
export async function extractCsv(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { text, metadata, warnings } = await readText(file, context);
  const delimiter = detectDelimiter(text, extensionOf(file.filename));
  const rows: SheetRow[] = [];
  for (const row of parseCsv(text.replace(/^sep=.\n/i, ""), delimiter)) {
    rows.push(row);
    if (rows.length % ROWS_PER_PROGRESS === 0) context.onProgress({ unit: "rows", done: rows.length });
  }
  const writer = new SheetWriter(context);
  writeSheet(rows, { hasHeader: hasHeaderRow(rows), write: (block) => writer.write(block) });
  return {
    docType: "csv",
    title: undefined,
    text: writer.finish(),
    markup: "markdown",
    pageStarts: undefined,
    metadata,
    warnings,
    tags: [],
  };
}

import { extensionOf } from "../extension.ts";
import { detectDelimiter, hasHeaderRow, parseCsv } from "../sheets/parse_csv.ts";
import { writeSheet } from "../sheets/sheet_text.ts";
import { SheetWriter } from "../sheets/sheet_writer.ts";
import { readText } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Reads comma-separated values and their relatives as one Markdown table. */
export async function extractCsv(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { text, metadata, warnings } = await readText(file, context);
  const delimiter = detectDelimiter(text, extensionOf(file.filename));
  const table = text.replace(/^sep=.\n/i, "");
  // Parsed once for the columns and once for the text: the fields of a large file would not fit into memory.
  const rows = { [Symbol.iterator]: () => parseCsv(table, delimiter) };
  const writer = new SheetWriter(context);
  let lines = 0;
  writeSheet(rows, {
    hasHeader: hasHeaderRow(rows),
    write: (block) => {
      writer.write(block);
      lines += block.split("\n").length - 1;
      context.onProgress({ unit: "rows", done: lines });
    },
  });
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

import { parseCalendar } from "../content_lines/calendar.ts";
import { unfold } from "../content_lines/content_lines.ts";
import { writeEntries } from "../content_lines/write_entries.ts";
import { MarkdownWriter } from "../markdown/writer.ts";
import { textDocument } from "../text_document.ts";
import { readText } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Reads iCalendar: each event, to-do and journal entry is a section. */
export async function extractIcs(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const source = await readText({ ...file, bytes: unfold(file.bytes) }, context);
  // Lines of UTF-16 are not folded in its bytes.
  const { name, entries } = parseCalendar(source.text.replace(/\n[ \t]/g, ""));
  if (entries.length === 0) {
    const text = await readText(file, context);
    const warnings = ["The file has no events or to-dos, and was read as plain text."];
    return textDocument(
      { docType: "text", title: undefined, text: text.text, markup: "plain", warnings },
      text,
    );
  }
  const writer = new MarkdownWriter(context.name, context.maxTextChars);
  if (name !== undefined) writer.heading(1, name);
  writeEntries(entries, writer);
  return textDocument({
    docType: "calendar",
    title: name ?? (entries.length === 1 ? entries[0]!.title : undefined),
    text: `${writer.text}\n`,
    markup: "markdown",
    metadata: { entries: entries.length },
  }, source);
}

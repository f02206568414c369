import type { MarkdownWriter } from "../markdown/writer.ts";
import type { CalendarEntry } from "./calendar.ts";

/** Writes each entry of a calendar as a section. */
export function writeEntries(entries: readonly CalendarEntry[], writer: MarkdownWriter): void {
  for (const { title, lines, paragraphs } of entries) {
    writer.heading(2, title);
    writer.paragraph(lines.join("\n"));
    for (const paragraph of paragraphs) writer.paragraph(paragraph);
  }
}

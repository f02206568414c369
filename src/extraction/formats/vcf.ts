import { unfold } from "../content_lines/content_lines.ts";
import { parseContacts } from "../content_lines/contacts.ts";
import { MarkdownWriter } from "../markdown/writer.ts";
import { textDocument } from "../text_document.ts";
import { readText } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Number of characters that are searched for the version. */
const HEAD_CHARS = 1024;

/** Reads vCard: each card is a section. */
export async function extractVcf(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const head = new TextDecoder("latin1").decode(file.bytes.subarray(0, HEAD_CHARS));
  const keepsSpace = /^VERSION:2\.1/im.test(head);
  const source = await readText({ ...file, bytes: unfold(file.bytes, { keepsSpace }) }, context);
  const contacts = await parseContacts(keepsSpace ? source.text : source.text.replace(/\n[ \t]/g, ""));
  if (contacts.length === 0) {
    // Tables of genetic variants have the same extension.
    const text = await readText(file, context);
    const warnings = ["The file has no contacts, and was read as plain text."];
    return textDocument(
      { docType: "text", title: undefined, text: text.text, markup: "plain", warnings },
      text,
    );
  }
  const writer = new MarkdownWriter(context.name, context.maxTextChars);
  for (const { name, lines, notes } of contacts) {
    writer.heading(2, name);
    writer.paragraph(lines.join("\n"));
    for (const note of notes) writer.paragraph(`Note: ${note}`);
  }
  return textDocument({
    docType: "contacts",
    title: contacts.length === 1 ? contacts[0]!.name : undefined,
    text: `${writer.text}\n`,
    markup: "markdown",
    metadata: { entries: contacts.length },
  }, source);
}

import { DocConverter } from "../doc/converter.ts";
import { damaged, ExtractionError, onlyPictures } from "../errors.ts";
import { MarkdownWriter } from "../markdown/writer.ts";
import { CompoundFile } from "../ole2.ts";
import { readSummary } from "../ole2_properties.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import { writtenText } from "../written_text.ts";

/** Converts a Word 97–2003 document to Markdown, with its notes, comments, tables and text boxes. */
export function extractDoc(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  return Promise.resolve().then(() => convert(file, context));
}

function convert(file: SourceFile, { name, maxTextChars }: ExtractionContext): ExtractedText {
  const compound = new CompoundFile(file.bytes, name);
  const writer = new MarkdownWriter(name, maxTextChars);
  try {
    new DocConverter(compound, writer).convert();
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw damaged(
      name,
      "it is not a valid Word document. Open it in Word, save it as .docx and upload that",
      error,
    );
  }
  if (writer.isEmpty) {
    throw onlyPictures(name);
  }
  const metadata = readSummary(compound);
  return writtenText(writer, { docType: "doc", filename: file.filename, metadata });
}

import { MarkdownWriter } from "../markdown/writer.ts";
import { textDocument } from "../text_document.ts";
import type { TextFile } from "../text_file.ts";
import type { ExtractedText, ExtractionContext } from "../types.ts";
import { type Reference, referenceTitle, writeReference } from "./reference.ts";

/** An entry of a bibliography, or the source of one that cannot be parsed. */
export type BibliographyItem =
  | { readonly reference: Reference; readonly source?: undefined }
  | { readonly reference?: undefined; readonly source: string };

/**
 * Returns a bibliography as Markdown: a section for each entry; one that cannot be parsed stays as it is, with a
 * warning. A file without entries is plain text.
 */
export function bibliography(
  items: Iterable<BibliographyItem>,
  file: TextFile,
  { name, maxTextChars }: ExtractionContext,
): ExtractedText {
  const writer = new MarkdownWriter(name, maxTextChars);
  let title: string | undefined;
  let entries = 0;
  let malformed = 0;
  for (const { reference, source } of items) {
    entries++;
    if (reference) {
      title = referenceTitle(reference);
      writeReference(writer, reference);
    } else {
      malformed++;
      writer.heading(2, /[{(]\s{0,20}([^\s{}(),="]{1,200})/.exec(source)?.[1] ?? "Malformed entry");
      writer.fence(source.split("\n"));
    }
  }
  if (writer.isEmpty) {
    const warnings = ["The file has no references, and was read as plain text."];
    return textDocument(
      { docType: "text", title: undefined, text: file.text, markup: "plain", warnings },
      file,
    );
  }
  return textDocument({
    docType: "bibliography",
    title: entries === 1 ? title : undefined,
    text: `${writer.text}\n`,
    markup: "markdown",
    metadata: { entries },
    warnings: malformed === 0
      ? []
      : [`${malformed} of ${entries} entries could not be parsed, and stay as they are.`],
  }, file);
}

import { documentTitle } from "./document_title.ts";
import type { MarkdownWriter } from "./markdown/writer.ts";
import type { ExtractedText } from "./types.ts";

/** What {@linkcode writtenText} knows of a document besides its text. */
export interface WrittenDocument extends Pick<ExtractedText, "docType"> {
  /** Name of the file, with its extension. */
  readonly filename: string | undefined;
  /** The properties of the document. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Returns the text of a document of a word processor, whose title is in its properties or else its first heading. */
export function writtenText(
  writer: MarkdownWriter,
  { docType, filename, metadata }: WrittenDocument,
): ExtractedText {
  return {
    docType,
    title: documentTitle(metadata["title"], filename) ?? writer.firstHeading,
    text: writer.text,
    markup: "markdown",
    pageStarts: undefined,
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    tags: [],
  };
}

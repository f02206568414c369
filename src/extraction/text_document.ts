import { definedFields } from "./properties.ts";
import type { ExtractedText } from "./types.ts";
import type { TextFile } from "./text_file.ts";

/** Fields of a document that its format decides. */
type Fields = Pick<ExtractedText, "docType" | "title" | "text" | "markup"> & Partial<ExtractedText>;

/** Returns the document of a text file: with the encoding in its metadata, and the warnings of both. */
export function textDocument(
  { metadata, warnings = [], ...fields }: Fields,
  file: Pick<TextFile, "metadata" | "warnings">,
): ExtractedText {
  const all = { ...definedFields<unknown>(metadata ?? {}), ...file.metadata };
  return {
    pageStarts: undefined,
    tags: [],
    ...fields,
    metadata: Object.keys(all).length > 0 ? all : undefined,
    warnings: [...file.warnings, ...warnings],
  };
}

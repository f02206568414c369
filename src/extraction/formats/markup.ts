import type { DocType } from "../../contract/mod.ts";
import { documentTitle } from "../document_title.ts";
import { noText } from "../errors.ts";
import type { MarkupText } from "../markup/types.ts";
import { normalizeText } from "../normalize.ts";
import { textDocument } from "../text_document.ts";
import { readText } from "../text_file.ts";
import { firstHeading } from "../title.ts";
import type { FormatExtractor } from "../types.ts";

/** Returns the extractor of a markup language that is converted to Markdown. */
export function markupExtractor(docType: DocType, convert: (source: string) => MarkupText): FormatExtractor {
  return async (file, context) => {
    const { name } = context;
    const source = await readText(file, context);
    const converted = convert(source.text);
    const text = normalizeText(converted.text);
    if (text.trim() === "") throw noText(name, "it holds only markup", "write something in it");
    return textDocument({
      docType,
      title: documentTitle(converted.title, file.filename) ?? firstHeading(text),
      text,
      markup: "markdown",
      metadata: converted.metadata,
      tags: converted.tags ?? [],
    }, source);
  };
}

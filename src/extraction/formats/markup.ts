import type { DocType } from "../../contract/rules/mod.ts";
import { documentTitle } from "../document_title.ts";
import { noText } from "../errors.ts";
import { definedFields, type MarkupText } from "../markup/types.ts";
import { normalizeText } from "../normalize.ts";
import { textDocument } from "../text_document.ts";
import { readText } from "../text_file.ts";
import { firstHeading } from "../title.ts";
import type { FormatExtractor } from "../types.ts";

/** Keywords of version control: `$Date$`, `$Date: 2024/05/01 10:00:00 $`, `$Date: 2024-05-01 10:00:00 +0000 (…) $`. */
const KEYWORD = /^\$(?:Date|LastChangedDate)(?::\s*(?:(\d{4})[/-](\d\d)[/-](\d\d))?.*)?\$$/;

/**
 * Longer runs of spaces are cut to this many characters, more than any indentation or column of a table: the patterns of
 * the converters need quadratic time for them.
 */
const MAX_SPACES = 1_000;
const LONG_SPACES = new RegExp(`([^\\S\\n]{${MAX_SPACES}})[^\\S\\n]+`, "g");

/** Returns the extractor of a markup language that is converted to Markdown. */
export function markupExtractor(docType: DocType, convert: (source: string) => MarkupText): FormatExtractor {
  return async (file, context) => {
    const { name } = context;
    const source = await readText(file, context);
    const converted = convert(source.text.replace(LONG_SPACES, "$1"));
    const text = normalizeText(converted.text);
    if (text.trim() === "") {
      throw noText(name, "it holds only markup", "write something in it, or add the files that it includes");
    }
    return textDocument({
      docType,
      title: documentTitle(converted.title, file.filename) ?? firstHeading(text),
      text,
      markup: "markdown",
      metadata: definedFields({
        ...converted.metadata,
        created: withoutKeyword(converted.metadata["created"]),
      }),
      tags: converted.tags ?? [],
      warnings: converted.warnings ?? [],
    }, source);
  };
}

/** Returns a date without the keyword that version control replaces with it; `undefined` if it has not been replaced. */
function withoutKeyword(date: string | undefined): string | undefined {
  const keyword = KEYWORD.exec(date?.trim() ?? "");
  return keyword ? keyword[1] && keyword.slice(1).join("-") : date;
}

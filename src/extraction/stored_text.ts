import type { DocType } from "../contract/rules/mod.ts";
import type { ChunkSource } from "./chunking/types.ts";
import { codeOutline } from "./code/outline.ts";
import { extensionOf } from "./extension.ts";

/** Types whose extractors write lines without Markdown. */
const PLAIN_TYPES: ReadonlySet<DocType> = new Set<DocType>(["text", "json", "subtitles", "code", "image"]);

/**
 * Returns the input of chunking for a text that an extractor has written. Properties that the text does not contain,
 * such as pages, are lost.
 *
 * @param filename Name or path of the file, whose extension names the language of source code.
 *
 * @example
 * ```ts
 * import { storedText } from "./stored_text.ts";
 * import { assertEquals } from "@std/assert";
 * const { markup, outline } = storedText("code", "# Sort\ndef sort():\n    pass\n", "src/sort.py");
 * assertEquals([markup, outline?.map(({ title }) => title)], ["plain", ["def sort"]]);
 * ```
 */
export function storedText(docType: DocType, text: string, filename: string | undefined): ChunkSource {
  const outline = docType === "code" ? codeOutline(text, extensionOf(filename)) : [];
  return {
    text,
    docType,
    markup: PLAIN_TYPES.has(docType) ? "plain" : "markdown",
    pageStarts: undefined,
    ...(outline.length > 0 && { outline }),
  };
}

import { extensionOf, HTML_EXTENSIONS, MARKDOWN_EXTENSIONS } from "./detect.ts";

/** Extensions of text formats that people write documents in. Any other text file can be extracted, too. */
const TEXT_EXTENSIONS = [
  "txt",
  "text",
  "rst",
  "adoc",
  "asciidoc",
  "org",
  "textile",
  "tex",
  "typ",
  "csv",
  "tsv",
];

const SUPPORTED: ReadonlySet<string> = new Set([
  ...MARKDOWN_EXTENSIONS,
  ...HTML_EXTENSIONS,
  ...TEXT_EXTENSIONS,
  "pdf",
  "docx",
]);

/**
 * Whether a file in a folder is a document, by the extension of its name. Code, data and settings are not: they would
 * crowd out the documents in a search.
 *
 * @example
 * ```ts
 * import { isDocumentName } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(["guide.md", "Report.PDF", "main.ts", "Makefile"].map(isDocumentName), [true, true, false, false]);
 * ```
 */
export function isDocumentName(name: string): boolean {
  return SUPPORTED.has(extensionOf(name));
}

import { formatOfExtension } from "../contract/rules/mod.ts";
import { extensionOf } from "./extension.ts";

/**
 * Whether a file in a folder is a document, by the extension of its name (`inFolders` of `FILE_FORMATS`).
 *
 * @example
 * ```ts
 * import { isDocumentName } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(["guide.md", "Report.PDF", "main.ts", "Makefile"].map(isDocumentName), [true, true, false, false]);
 * ```
 */
export function isDocumentName(name: string): boolean {
  return formatOfExtension(extensionOf(name))?.inFolders ?? false;
}

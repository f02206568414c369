import type { Id } from "../contract/mod.ts";
import { oneLine } from "../text/mod.ts";
import { documentUri } from "../tools/mod.ts";

/** The fields of a document that name and locate it. */
export interface CitedDocument {
  readonly document_id: Id;
  readonly title?: string | null | undefined;
  readonly source_path?: string | null | undefined;
}

/** Returns a document's title or, without one, its `source_path` or id. */
export function titleOf({ document_id, title, source_path }: CitedDocument): string {
  return oneLine(title || source_path || `Document ${document_id}`);
}

/**
 * Returns the URL that a citation of a document links to: its `source_path` if that is a web address, otherwise its
 * resource URI.
 *
 * @example
 * ```ts
 * import { citationUrl } from "./citation.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(citationUrl({ document_id: 7, source_path: "https://example.com/a" }), "https://example.com/a");
 * assertEquals(citationUrl({ document_id: 7, source_path: "notes/a.md" }), "kb://documents/7");
 * ```
 */
export function citationUrl({ document_id, source_path }: CitedDocument): string {
  // Not the parsed form, which may differ from the address that the user stored.
  if (source_path && /^https?:\/\/\S+$/i.test(source_path) && URL.canParse(source_path)) return source_path;
  return documentUri(document_id);
}

import type { Id } from "../contract/mod.ts";
import { oneLine } from "../text/mod.ts";
import { documentUri } from "./resource_uris.ts";
import type { ResourceLink } from "./tool.ts";

/** Maximum number of links in a result. */
const MAX_LINKS = 20;
/** Maximum length of a link's name in UTF-16 code units. The output itself has the whole title. */
const MAX_NAME_LENGTH = 100;

/** Fields of a document that its link uses. */
export interface LinkedDocument {
  readonly document_id?: Id | undefined;
  readonly title?: unknown;
  readonly source_path?: unknown;
}

/**
 * Returns a link to each document of an output, in order and without duplicates (MCP, Tools: "Resource
 * Links").
 *
 * @example
 * ```ts
 * import { linksTo } from "./resource_links.ts";
 * import { assertEquals } from "@std/assert";
 * const links = linksTo([{ document_id: 12, title: null }, { document_id: 12 }]);
 * assertEquals(links, [
 *   { type: "resource_link", uri: "kb://documents/12", name: "Document 12", mimeType: "text/markdown" },
 * ]);
 * ```
 */
export function linksTo(documents: Iterable<LinkedDocument>): ResourceLink[] {
  const links = new Map<string, ResourceLink>();
  for (const { document_id, title, source_path } of documents) {
    if (links.size === MAX_LINKS) break;
    const id = String(document_id ?? "");
    // An unpaired surrogate has no percent-encoding.
    if (id === "" || !id.isWellFormed()) continue;
    links.set(id, {
      type: "resource_link",
      uri: documentUri(id),
      name: linkName(title) ?? linkName(source_path) ?? `Document ${oneLine(id, MAX_NAME_LENGTH)}`,
      mimeType: "text/markdown",
    });
  }
  return [...links.values()];
}

function linkName(value: unknown): string | undefined {
  return typeof value === "string" ? oneLine(value, MAX_NAME_LENGTH) || undefined : undefined;
}

import { type NameableDocument, type NamedDocument, nameDocuments } from "../presentation/mod.ts";
import type { ResourceLink } from "./content_block.ts";
import { documentUri } from "./resource_uris.ts";

/**
 * Returns links to the first documents of an output, in order and without duplicates (MCP, Tools: "Resource
 * Links").
 *
 * @example
 * ```ts
 * import { linksTo } from "./resource_links.ts";
 * import { assertEquals } from "@std/assert";
 * const links = linksTo([{ document_id: 12, title: null }, { document_id: 12 }]);
 * assertEquals(links, [{ type: "resource_link", uri: "kb://documents/12", name: "Document 12" }]);
 * ```
 */
export function linksTo(documents: Iterable<NameableDocument>): ResourceLink[] {
  return nameDocuments(documents).map(linkTo);
}

/** Returns the link to a document. */
export function linkTo({ id, name }: NamedDocument): ResourceLink {
  return { type: "resource_link", uri: documentUri(id), name };
}

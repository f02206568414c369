import type { Id } from "../contract/mod.ts";
import type { ResourceLink } from "./define.ts";
import { oneLine } from "./one_line.ts";
import { documentUri } from "./resource_uris.ts";

/** Most links in one answer: a model pays for each. */
const MAX_LINKS = 20;
/** Longest name of a link, in characters; the answer itself has the whole title. */
const MAX_NAME = 100;

/** What a link needs to know of a document. */
export interface Linkable {
  readonly document_id?: Id | undefined;
  readonly title?: unknown;
  readonly source_path?: unknown;
}

/**
 * Links to the documents that an answer is about (MCP, Tools: "Resource Links"), one for each, in their order.
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
export function linksTo(documents: Iterable<Linkable>): ResourceLink[] {
  const links = new Map<string, ResourceLink>();
  for (const { document_id, title, source_path } of documents) {
    if (links.size === MAX_LINKS) break;
    const id = String(document_id ?? "");
    // An engine from elsewhere may count in anything; half of a surrogate pair has no percent-encoding.
    if (id === "" || !id.isWellFormed()) continue;
    links.set(id, {
      type: "resource_link",
      uri: documentUri(id),
      name: named(title) ?? named(source_path) ?? `Document ${oneLine(id, MAX_NAME)}`,
      mimeType: "text/markdown",
    });
  }
  return [...links.values()];
}

function named(value: unknown): string | undefined {
  return typeof value === "string" ? oneLine(value, MAX_NAME) || undefined : undefined;
}

import type { Id } from "../contract/mod.ts";
import { oneLine } from "../text/mod.ts";
import { documentUri } from "./resource_uris.ts";
import type { ResourceLink } from "./tool.ts";

/**
 * Maximum number of links in a result. Clients write each one into the model's context, about 15 tokens: Claude Code
 * 2.0 as `[Resource link: name] uri`, Gemini CLI as `Resource Link: name at uri`. The JSON has all ids.
 */
const MAX_LINKS = 3;
/** Maximum length of a link's name in UTF-16 code units. The output itself has the whole title. */
const MAX_NAME_LENGTH = 60;

/** Fields of a document or search result that its link uses. */
export interface LinkedDocument {
  readonly document_id?: Id | undefined;
  readonly title?: unknown;
  readonly source_path?: unknown;
  /** The start of it names a note whose title is left out. */
  readonly text?: unknown;
}

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
export function linksTo(documents: Iterable<LinkedDocument>): ResourceLink[] {
  const links = new Map<string, ResourceLink>();
  for (const { document_id, title, source_path, text } of documents) {
    const id = String(document_id ?? "");
    // An unpaired surrogate has no percent-encoding.
    if (id === "" || links.has(id) || !id.isWellFormed()) continue;
    if (links.size === MAX_LINKS) break;
    links.set(id, {
      type: "resource_link",
      uri: documentUri(id),
      name: linkName(title) ?? linkName(source_path) ?? linkName(text) ??
        `Document ${oneLine(id, MAX_NAME_LENGTH)}`,
    });
  }
  return [...links.values()];
}

function linkName(value: unknown): string | undefined {
  return typeof value === "string" ? oneLine(value, MAX_NAME_LENGTH) || undefined : undefined;
}

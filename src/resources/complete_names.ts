import { collectionTag } from "../collections/mod.ts";
import { oneLine } from "../text/mod.ts";
import { completionOf, matchRank, MAX_VALUES, truncateInput } from "./completion.ts";
import type { Completion, ReadContext } from "./define.ts";

/**
 * Completes the name of a collection.
 *
 * @example
 * ```ts
 * import { completeCollection } from "./mod.ts";
 * import { Collections } from "../collections/mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(completeCollection("m", { collections: new Collections() }).values, ["memory"]);
 * ```
 */
export function completeCollection(
  input: string,
  { collections }: Pick<ReadContext, "collections">,
): Completion {
  const prefix = truncateInput(input).toLowerCase();
  const names = collections.names.filter((name) => name.toLowerCase().startsWith(prefix));
  return completionOf(new Map(names.map((name) => [name, 0])));
}

/**
 * Completes the title of a document by its words, ignoring case and diacritics, from the 100 newest documents
 * of a collection.
 *
 * @throws {EngineError} When the engine call fails.
 *
 * @example
 * ```ts
 * import { completeTitle } from "./mod.ts";
 * import { EngineClient } from "../client/mod.ts";
 * import { assertEquals } from "@std/assert";
 * const documents = [{ document_id: 1, title: "Café hours", doc_type: "note", tags: ["collection:memory"] }];
 * const engine = new EngineClient({
 *   baseUrl: "http://embedded",
 *   fetch: () => Promise.resolve(Response.json({ documents })),
 * });
 * const { signal } = new AbortController();
 * assertEquals(await completeTitle("cafe", "memory", { engine, signal }), { values: ["Café hours"] });
 * ```
 */
export async function completeTitle(
  input: string,
  collection: string,
  { engine, signal }: Pick<ReadContext, "engine" | "signal">,
): Promise<Completion> {
  const tag = collectionTag(collection);
  const { documents, next_cursor } = await engine.documents({ tag, limit: MAX_VALUES }, { signal });
  const ranks = new Map<string, number>();
  for (const { title, tags } of documents) {
    const name = oneLine(title ?? "");
    const rank = matchRank(input, name);
    if (name !== "" && rank !== undefined && tags.includes(tag) && !ranks.has(name)) ranks.set(name, rank);
  }
  return { ...completionOf(ranks), ...(next_cursor ? { hasMore: true } : {}) };
}

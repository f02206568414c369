import { collectionTag } from "../collections/mod.ts";
import type { Completion, ReadContext } from "./define.ts";
import { matchRank, typedPart } from "./match.ts";
import { oneLine } from "../tools/mod.ts";
import { firstOf, MAX_VALUES } from "./values.ts";

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
  typed: string,
  { collections }: Pick<ReadContext, "collections">,
): Completion {
  const start = typedPart(typed).toLowerCase();
  return firstOf(collections.names.filter((name) => name.toLowerCase().startsWith(start)));
}

/**
 * Completes the title of a document: words in any case, with or without diacritics. Looked through are the hundred
 * newest documents of a collection.
 *
 * @throws {EngineError} For what went wrong at the engine.
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
  typed: string,
  collection: string,
  { engine, signal }: Pick<ReadContext, "engine" | "signal">,
): Promise<Completion> {
  const tag = collectionTag(collection);
  const { documents, next_cursor } = await engine.documents({ tag, limit: MAX_VALUES }, { signal });
  const ranked = new Map<string, number>();
  for (const { title, tags } of documents) {
    const name = oneLine(title ?? "");
    const rank = matchRank(typed, name);
    if (name !== "" && rank !== undefined && tags.includes(tag) && !ranked.has(name)) ranked.set(name, rank);
  }
  const values = [...ranked].sort(([, a], [, b]) => a - b).map(([name]) => name);
  return { ...firstOf(values), ...(next_cursor ? { hasMore: true } : {}) };
}

import type { EngineClient } from "../client/mod.ts";
import { Collections } from "../collections/mod.ts";
import { type FilterArguments, namedCollections } from "./filter_arguments.ts";

/**
 * Returns the collections that filters may name: those of the configuration and, if a filter names another one, those
 * that have documents. A collection that has left `KB_COLLECTIONS`, or that only the server knows and not the command
 * in a shell, keeps its documents, and they have to be found. An unknown name stays an error, since it is a typo.
 *
 * @param collection The filter of the caller.
 * @param options.engine Asked for its status if a name is not configured.
 */
export async function filterCollections(
  collection: FilterArguments["collection"],
  { collections, engine, signal }: {
    readonly collections: Collections;
    readonly engine: Pick<EngineClient, "status">;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Collections> {
  if (collection === undefined) return collections;
  const isConfigured = (name: string) => collections.names.includes(name);
  if (namedCollections(collection, collections).every(isConfigured)) return collections;
  // Without a status, the name is as unknown as before.
  const status = await engine.status({ signal }).catch(() => undefined);
  signal?.throwIfAborted();
  const counts = Object.entries(status?.documents?.by_collection ?? {});
  const used = counts.filter(([name, n]) => name !== "" && n > 0).map(([name]) => name);
  return new Collections([...collections.names, ...used]);
}

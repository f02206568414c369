import type { DatabaseSync } from "node:sqlite";
import { hasId } from "../../../../src/data_structures/mod.ts";
import type { VectorRanker, VectorSearch } from "../../../../src/engine/search/mod.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";

/** Returns a searcher by terms and vectors with a fixed similarity of each chunk to every query. */
export function searcherWith(db: DatabaseSync, similarities: ReadonlyMap<number, number>): Searcher {
  return new Searcher({ db, vectors: vectorSearch(similarities) });
}

/** Returns an exact vector search with fixed similarities, which filters before it ranks. */
export function vectorSearch(similarities: ReadonlyMap<number, number>): VectorSearch {
  const ranker: VectorRanker = async ({ limit, allowed, others }) => {
    const matches = [...similarities]
      .filter(([id]) => !allowed || hasId(allowed, id))
      .map(([id, score]) => ({ id, score }))
      .sort((a, b) => b.score - a.score || a.id - b.id);
    const known = await others;
    return {
      hits: matches.slice(0, limit),
      others: matches.slice(limit).filter(({ id }) => known.includes(id)),
      spread: undefined,
      total: matches.length,
    };
  };
  return {
    embed: () => ranker,
    embedNote: () => Promise.resolve(ranker),
    embedded: () => similarities.size,
    refused: () => 0,
  };
}

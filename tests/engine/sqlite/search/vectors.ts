import type { DatabaseSync } from "node:sqlite";
import type { VectorSearch } from "../../../../src/engine/search/mod.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";

/** Searches by words and by vectors, where a chunk's nearness to every query is given. */
export function searcherWith(db: DatabaseSync, nearness: ReadonlyMap<number, number>): Searcher {
  return new Searcher({ db, vectors: nearBy(nearness) });
}

/** Search by meaning whose outcome is known beforehand: exact, and filtered before it ranks. */
export function nearBy(nearness: ReadonlyMap<number, number>): VectorSearch {
  return {
    embed: () =>
      Promise.resolve((top, allowed) => {
        const passing = [...nearness]
          .filter(([id]) => !allowed || ((allowed[id >> 3] ?? 0) & (1 << (id & 7))) !== 0)
          .map(([id, score]) => ({ id, score }))
          .sort((a, b) => b.score - a.score || a.id - b.id);
        return Promise.resolve({ hits: passing.slice(0, top), passing: passing.length });
      }),
    embedded: () => nearness.size,
  };
}

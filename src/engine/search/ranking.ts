import { fuse, FUSION, worth } from "./fusion.ts";
import { best, type Hits, type Scored } from "./select.ts";

/** All that a search has found, in an order that does not depend on how much of it is asked for. */
export interface Ranking {
  /** How many there are. */
  readonly total: number;
  /** The first so many, best first. */
  top(count: number): Scored[];
  /** The chunks, in no certain order. */
  ids(): Iterable<number>;
}

/** Chunks of each ranking that are fused; the full text's others follow in their own order. */
const FUSED = 1000;

/** The order of one score. */
export function rankingOf(hits: Hits): Ranking {
  return { total: hits.ids.length, top: (count) => best(hits, count), ids: () => hits.ids };
}

/** A ranking of which only the beginning is there. */
export function listed(hits: readonly Scored[], total: number): Ranking {
  return { total, top: (count) => hits.slice(0, count), ids: () => hits.map(({ id }) => id) };
}

/** Both rankings in one. */
export function hybridRanking(fts: Hits, vector: readonly Scored[]): Ranking {
  const fused = fuse(best(fts, FUSED), vector);
  const isFused = new Set(fused.map(({ id }) => id));
  const behind = () => [...fts.ids].filter((id) => !isFused.has(id));
  const total = fts.ids.length <= FUSED ? fused.length : fused.length + behind().length;
  return {
    total,
    top(count) {
      if (count <= fused.length || total === fused.length) return fused.slice(0, count);
      const last = worth(FUSION.fts, FUSED + 1);
      const rest = best(fts, count).filter(({ id }) => !isFused.has(id));
      return [...fused, ...rest.map(({ id }, index) => ({ id, score: last / (index + 1) }))].slice(0, count);
    },
    ids: () => [...isFused, ...behind()],
  };
}

/** The same with at most so many chunks of each document. */
export function withLimit(
  ranking: Ranking,
  perDocument: number,
  documentOf: (chunk: number) => number,
): Ranking {
  let total = 0;
  const counts = new Map<number, number>();
  const isKept = (id: number, seen: Map<number, number>) => {
    const document = documentOf(id);
    const count = seen.get(document) ?? 0;
    seen.set(document, count + 1);
    return count < perDocument;
  };
  for (const id of ranking.ids()) if (isKept(id, counts)) total++;
  const top = (count: number): Scored[] => {
    for (let asked = count * 4;; asked *= 4) {
      const candidates = ranking.top(asked);
      const seen = new Map<number, number>();
      const kept = candidates.filter(({ id }) => isKept(id, seen));
      if (kept.length >= count || candidates.length < asked) return kept.slice(0, count);
    }
  };
  return {
    total,
    top,
    ids: () => top(total).map(({ id }) => id),
  };
}

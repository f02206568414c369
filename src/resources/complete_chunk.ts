import type { Completion } from "./define.ts";
import { findDocument } from "./find_document.ts";
import { typedPart } from "./match.ts";
import { type Complete, MAX_VALUES } from "./values.ts";

/** Completes the index of a chunk of the document that `others.id` names. */
export const completeChunk: Complete = async (typed, others, context) => {
  const start = typedPart(typed).trim();
  if (others.id === undefined || !/^(?:0|[1-9]\d{0,8})?$/.test(start)) return { values: [] };
  const document = await findDocument(others.id, { offset: 0, limit: 1 }, context);
  if (!document) return { values: [] };
  return indexes(start, document.chunks_total ?? 0);
};

/** The numbers below `total` that begin with `start`, smallest first; only those that are answered are made. */
function indexes(start: string, total: number): Completion {
  if (start === "0") return { values: total > 0 ? ["0"] : [] };
  const values: string[] = [];
  let count = 0;
  // 12, then 120–129, then 1200–1299 …; without a start all of them at once.
  for (let from = Number(start), width = start === "" ? total : 1; from < total; from *= 10, width *= 10) {
    const end = Math.min(total, from + width);
    for (let n = from; n < end && values.length < MAX_VALUES; n++) values.push(String(n));
    count += end - from;
    if (start === "") break;
  }
  return { values, total: count, ...(count > values.length ? { hasMore: true } : {}) };
}

import { EngineError } from "../client/mod.ts";
import type { Id } from "../contract/mod.ts";
import { type Complete, completionOf, matchRank, MAX_VALUES, truncateInput, wordsOf } from "./completion.ts";
import type { Completion, ReadContext } from "./define.ts";
import { findDocument } from "./document.ts";
import { nameOf } from "./markdown.ts";
import { readableId } from "./uri.ts";

/**
 * Minimum length of an ASCII input that is searched; in other scripts one or two characters can be a word.
 */
const MIN_QUERY_CHARS = 3;
const MAX_SEARCH_RESULTS = 30;

/** A document that may complete the input. */
interface Candidate {
  readonly document_id: Id;
  readonly title?: string | null | undefined;
  readonly source_path?: string | null | undefined;
}

/**
 * Completes a readable document id, from a prefix of the id or words of the title. Candidates are the 100
 * newest documents, the document with exactly this id, and documents with the words in their titles.
 */
export const completeDocument: Complete = async (value, _others, context) => {
  const input = truncateInput(value).trim().toLowerCase();
  const [exact, found, recent] = await Promise.all([
    findById(input, context),
    search(input, context),
    context.engine.documents({ limit: MAX_VALUES }, { signal: context.signal }),
  ]);
  const ranks = new Map<string, number>();
  for (const candidate of [...exact, ...recent.documents, ...found]) {
    const name = nameOf(candidate);
    const readable = readableId(candidate.document_id, candidate.title || candidate.source_path ? name : "");
    const rank = rankOf(input, candidate.document_id, readable, name);
    if (rank !== undefined && !ranks.has(readable)) ranks.set(readable, rank);
  }
  return {
    ...completionOf(ranks),
    ...(input === "" && (recent.total ?? 0) > ranks.size ? { total: recent.total! } : {}),
    // Older documents may match as well.
    ...(recent.next_cursor ? { hasMore: true } : {}),
  };
};

/** Completes the index of a chunk in the document `others.id`. */
export const completeChunk: Complete = async (value, others, context) => {
  const input = truncateInput(value).trim();
  if (others.id === undefined || !/^(?:0|[1-9]\d{0,8})?$/.test(input)) return { values: [] };
  const document = await findDocument(others.id, { offset: 0, limit: 1 }, context);
  return completeNumber(input, document?.chunks_total ?? 0);
};

/** Ranks an exact id first, then prefixes of ids, then titles by how well they match. */
function rankOf(input: string, id: Id, readable: string, name: string): number | undefined {
  const plain = String(id).toLowerCase();
  if (plain === input) return 0;
  if (plain.startsWith(input) || readable.startsWith(input)) return 1;
  const rank = matchRank(input, name);
  // Without words, such as for punctuation, every title would match.
  return rank === undefined || wordsOf(input).length === 0 ? undefined : 2 + rank;
}

/** Finds the document with exactly this id, which need not be among the newest. */
async function findById(input: string, context: ReadContext): Promise<Candidate[]> {
  if (!/^\d{1,15}(?:~|$)/.test(input)) return [];
  const document = await findDocument(input, { chunks: false }, context);
  return document ? [document] : [];
}

/** Finds documents whose titles have words that start like those of the input. */
async function search(input: string, { engine, signal }: ReadContext): Promise<readonly Candidate[]> {
  const query = wordsOf(input).join(" ");
  if (!/[\p{L}\p{N}]/u.test(query) || (query.length < MIN_QUERY_CHARS && /^\w*$/.test(query))) return [];
  try {
    await engine.requireVersion("queryDocuments", { signal });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === "cancelled") throw error;
    // An engine before contract 3.3 does not search titles, but whole words in the full text.
    const request = { query, top: MAX_SEARCH_RESULTS, fts_only: true, snippets: false };
    return (await engine.search(request, { signal })).results;
  }
  return (await engine.queryDocuments({ title: query, limit: MAX_SEARCH_RESULTS }, { signal })).documents ??
    [];
}

/** Completes a number below `total` from its first digits, in ascending order. */
function completeNumber(digits: string, total: number): Completion {
  if (digits === "0") return { values: total > 0 ? ["0"] : [] };
  const values: string[] = [];
  let count = 0;
  // Ranges with the prefix 12: 12, 120–129, 1200–1299, … Without digits: one range with all numbers.
  for (let from = Number(digits), size = digits === "" ? total : 1; from < total; from *= 10, size *= 10) {
    const end = Math.min(total, from + size);
    for (let n = from; n < end && values.length < MAX_VALUES; n++) values.push(String(n));
    count += end - from;
    if (digits === "") break;
  }
  return { values, total: count, ...(count > values.length ? { hasMore: true } : {}) };
}

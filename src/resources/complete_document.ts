import type { Id } from "../contract/mod.ts";
import type { ReadContext } from "./define.ts";
import { findDocument } from "./find_document.ts";
import { nameOf } from "./markdown.ts";
import { matchRank, typedPart, wordsOf } from "./match.ts";
import { readableId } from "./readable_id.ts";
import { type Complete, firstOf, MAX_VALUES } from "./values.ts";

/** A search at each keystroke is for words (in scripts that write one in a character or two, for those). */
const LEAST_QUERY_CHARS = 3;
const MOST_FOUND = 30;

/** A document that a completion may name. */
interface Candidate {
  readonly document_id: Id;
  readonly title?: string | null | undefined;
  readonly source_path?: string | null | undefined;
}

/**
 * Completes the id of a document, in its readable form: by the beginning of the id, or by words of the title. Looked
 * through are the hundred newest documents and, for words, what a search for them finds.
 */
export const completeDocument: Complete = async (value, _others, context) => {
  const typed = typedPart(value).trim().toLowerCase();
  const [exact, found, recent] = await Promise.all([
    exactly(typed, context),
    search(typed, context),
    context.engine.documents({ limit: MAX_VALUES }, { signal: context.signal }),
  ]);
  const ranked = new Map<string, number>();
  for (const candidate of [...exact, ...recent.documents, ...found]) {
    const name = nameOf(candidate);
    const readable = readableId(candidate.document_id, candidate.title || candidate.source_path ? name : "");
    const rank = rankOf(typed, candidate.document_id, readable, name);
    if (rank !== undefined && !ranked.has(readable)) ranked.set(readable, rank);
  }
  // The sort is stable: among equals the newest stays first.
  const values = [...ranked].sort(([, a], [, b]) => a - b).map(([readable]) => readable);
  // Older documents were not looked through, but for those that a search found.
  const rest = {
    ...(typed === "" && (recent.total ?? 0) > values.length ? { total: recent.total! } : {}),
    ...(recent.next_cursor ? { hasMore: true } : {}),
  };
  return { ...firstOf(values), ...rest };
};

/** The id itself, then ids and readable ids that begin so, then titles by how well they fit. */
function rankOf(typed: string, id: Id, readable: string, name: string): number | undefined {
  const plain = String(id).toLowerCase();
  if (plain === typed) return 0;
  if (plain.startsWith(typed) || readable.startsWith(typed)) return 1;
  const rank = matchRank(typed, name);
  // Punctuation fits everything, and says nothing.
  return rank === undefined || wordsOf(typed).length === 0 ? undefined : 2 + rank;
}

/** The document with the id that was typed, which need not be among the newest. */
async function exactly(typed: string, context: ReadContext): Promise<Candidate[]> {
  if (!/^\d{1,15}(?:~|$)/.test(typed)) return [];
  const document = await findDocument(typed, { chunks: false }, context);
  return document ? [document] : [];
}

/** Documents that have the words that were typed; for their titles only, so full text is enough. */
async function search(typed: string, { engine, signal }: ReadContext): Promise<readonly Candidate[]> {
  const query = wordsOf(typed).join(" ");
  if (query === "") return [];
  if (query.length < LEAST_QUERY_CHARS && /^\w*$/.test(query)) return [];
  return (await engine.search({ query, top: MOST_FOUND, fts_only: true }, { signal })).results;
}

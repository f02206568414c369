import type { DatabaseSync } from "node:sqlite";
import { all } from "../store/mod.ts";
import { NO_POSTINGS, type PostingsReader } from "../index/mod.ts";
import type { Phrase, Query } from "../../search/mod.ts";
import { stems as stemsOf, WORD_CHARACTERS } from "../../../analysis/mod.ts";

/**
 * Chunks up to which a quotation is compared with the text, word for word. One that more chunks have is common enough to be found
 * by the stems of its words alone: `"the results"` finds "the result" too.
 */
const MAX_COMPARED = 2000;

/**
 * What quotations and exclusions let through.
 *
 * A quotation is found by the index, which has stems only, and then looked for in the text itself, so that `"running"` does not
 * find "runs". An exclusion goes by the index: who does not want dogs wants no dog.
 *
 * @returns Undefined: the query has neither.
 */
export function quotationFilter(
  db: DatabaseSync,
  { phrases, excluded }: Query,
  reader: PostingsReader,
): ((chunk: number) => boolean) | undefined {
  if (phrases.length + excluded.length === 0) return undefined;
  const required = phrases.map((phrase) => comparedWith(db, phrase, chunksWith(phrase, reader)));
  const forbidden = excluded.map((phrase) => new Set(chunksWith(phrase, reader)));
  return (chunk) => required.every((set) => set.has(chunk)) && !forbidden.some((set) => set.has(chunk));
}

function chunksWith({ words }: Phrase, reader: PostingsReader): Uint32Array {
  const stems = stemsOf(words).flat();
  if (stems.length === 0) return NO_POSTINGS.ids;
  return (stems.length === 1 ? reader.term(stems[0] as string) : reader.phrase(words)).ids;
}

/** Those of the chunks that have the words as they stand. */
function comparedWith(db: DatabaseSync, { words }: Phrase, chunks: Uint32Array): ReadonlySet<number> {
  if (chunks.length > MAX_COMPARED) return new Set(chunks);
  const between = `[^${WORD_CHARACTERS}]+`;
  const pattern = new RegExp(
    `(?<![${WORD_CHARACTERS}])${words.join(between)}(?![${WORD_CHARACTERS}])`,
    "u",
  );
  const rows = all<{ id: number; title: string; heading: string; body: string }>(
    db,
    "SELECT s.id, s.title, s.heading, s.body FROM json_each(?) j CROSS JOIN chunk_search s ON s.id = j.value",
    JSON.stringify([...chunks]),
  );
  const has = (text: string) => pattern.test(text.toLowerCase());
  return new Set(
    rows.filter(({ title, heading, body }) => has(body) || has(title) || has(heading)).map(({ id }) => id),
  );
}

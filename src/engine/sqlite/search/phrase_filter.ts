import type { DatabaseSync } from "node:sqlite";
import { stems as stemsOf, WORD_CHARACTERS } from "../../../analysis/mod.ts";
import type { ParsedQuery, Phrase } from "../../search/mod.ts";
import type { PostingsReader } from "../index/mod.ts";
import { all } from "../store/mod.ts";

/**
 * Maximum number of chunks whose text is compared with a quoted phrase. A phrase in more chunks is matched by
 * stems only: `"the results"` matches "the result" too.
 */
const MAX_COMPARED = 2000;

/** Chunks that the operators of a query allow. */
export interface PhraseFilter {
  /** Tests whether a chunk has the required phrases and no excluded one. Undefined: nothing to test. */
  readonly matches: ((chunk: number) => boolean) | undefined;
  /** Quoted phrases that no allowed chunk contains, and that are not required therefore. */
  readonly missing: readonly Phrase[];
}

/**
 * Evaluates the quoted phrases and exclusions of a query.
 *
 * The index finds the stems of a quoted phrase, and the text then has to contain it verbatim: `"running"`
 * does not match "runs". An exclusion matches by stems, so that it excludes every form of a word. A phrase that
 * occurs nowhere is often the title of something that the texts describe in other words, so that it does not
 * rule out every chunk.
 *
 * @param options.isAllowed Tests whether the other filters allow a chunk. Undefined: all.
 */
export function phraseFilter(
  db: DatabaseSync,
  { phrases, exclusions }: ParsedQuery,
  { reader, isAllowed = () => true }: {
    readonly reader: PostingsReader;
    readonly isAllowed?: ((chunk: number) => boolean) | undefined;
  },
): PhraseFilter {
  if (phrases.length + exclusions.length === 0) return { matches: undefined, missing: [] };
  const excluded = exclusions.map((phrase) => new Set(chunksWith(phrase, reader)));
  const isExcluded = (chunk: number) => excluded.some((set) => set.has(chunk));
  const required: ReadonlySet<number>[] = [];
  const missing: Phrase[] = [];
  for (const phrase of phrases) {
    const chunks = withVerbatim(db, phrase, chunksWith(phrase, reader));
    if (chunks.values().some((chunk) => isAllowed(chunk) && !isExcluded(chunk))) required.push(chunks);
    else missing.push(phrase);
  }
  if (required.length + excluded.length === 0) return { matches: undefined, missing };
  return { matches: (chunk) => required.every((set) => set.has(chunk)) && !isExcluded(chunk), missing };
}

const NO_CHUNKS = new Uint32Array();

/** Returns the chunks that contain the stems of a phrase in sequence. */
function chunksWith({ words }: Phrase, reader: PostingsReader): Uint32Array {
  const stems = stemsOf(words).flat();
  if (stems.length === 0) return NO_CHUNKS;
  return reader.idsOf(stems.length === 1 ? reader.term(stems[0] as string) : reader.phrase(words));
}

/** Returns those of the chunks that contain a phrase verbatim. */
function withVerbatim(db: DatabaseSync, { words }: Phrase, chunks: Uint32Array): ReadonlySet<number> {
  if (chunks.length > MAX_COMPARED) return new Set(chunks);
  const separator = `[^${WORD_CHARACTERS}]+`;
  const pattern = new RegExp(
    `(?<![${WORD_CHARACTERS}])${words.join(separator)}(?![${WORD_CHARACTERS}])`,
    "u",
  );
  const rows = all<{ id: number; title: string; heading: string; body: string }>(
    db,
    "SELECT s.id, s.title, s.heading, s.body FROM json_each(?) j CROSS JOIN chunk_search s ON s.id = j.value",
    JSON.stringify([...chunks]),
  );
  const matches = (text: string) => pattern.test(text.toLowerCase());
  return new Set(
    rows.filter(({ title, heading, body }) => matches(body) || matches(title) || matches(heading))
      .map(({ id }) => id),
  );
}

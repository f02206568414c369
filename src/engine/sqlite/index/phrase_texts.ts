import type { DatabaseSync } from "node:sqlite";
import { stems as stemsOf } from "../../../analysis/mod.ts";
import { wordsOf } from "../../search/mod.ts";
import { allOneByOne, DamagedTextError } from "../store/read_only.ts";
import { COLUMN_WEIGHTS } from "./column_weights.ts";

/**
 * Returns those of the chunks that contain words in sequence, with the weight of the most important column. Compares
 * stems, as the index does.
 *
 * @param words Words, not stems.
 */
export function chunksWithPhrase(
  db: DatabaseSync,
  words: readonly string[],
  chunks: readonly number[],
): (readonly [id: number, weight: number])[] {
  const phrase = ` ${stemsOf(words).flat().join(" ")} `;
  const rows = allOneByOne<{ id: number; title: string; heading: string; body: string | null }>(
    db,
    "SELECT s.id, s.title, s.heading, s.body FROM json_each(?) j CROSS JOIN chunk_search s ON s.id = j.value",
    JSON.stringify(chunks),
  );
  return rows.flatMap(({ id, title, heading, body }) => {
    if (body === null) throw new DamagedTextError();
    const column = [title, heading, body].findIndex((text) =>
      ` ${stemsOf(wordsOf(text)).flat().join(" ")} `.includes(phrase)
    );
    return column < 0 ? [] : [[id, COLUMN_WEIGHTS[column] as number] as const];
  });
}

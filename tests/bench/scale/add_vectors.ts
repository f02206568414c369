/**
 * Copies a data directory of `build.ts` and gives each chunk a vector of 384 dimensions:
 * `deno run -A tests/bench/scale/add_vectors.ts FROM TO`.
 *
 * @module
 */
import { print } from "../../../scripts/print.ts";
import {
  dataDirAt,
  openForWriting,
  packingStep,
  type StoredText,
  textOf,
  timestamp,
} from "../../../src/engine/sqlite/store/mod.ts";
import { claimEmbeddingSet } from "../../../src/engine/sqlite/store/embedding_sets.ts";
import { storeVectors } from "../../../src/engine/sqlite/store/vectors.ts";
import { DIMENSIONS, textVector, VECTOR_MODEL } from "./text_vectors.ts";

const BATCH = 2_000;

/** Writes the copy with vectors to `to`. */
export async function addVectors(from: string, to: string): Promise<void> {
  const started = performance.now();
  await Deno.remove(to, { recursive: true }).catch(() => {});
  await Deno.mkdir(to, { recursive: true, mode: 0o700 });
  await Deno.copyFile(`${from}/kb.db`, `${to}/kb.db`);
  const db = openForWriting(dataDirAt(to), timestamp);
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000");
  const identity = { model: VECTOR_MODEL, documentPrefix: "", dimensions: DIMENSIONS };
  const set = claimEmbeddingSet(db, identity, { command: "", now: timestamp() });
  const select = db.prepare("SELECT id, text FROM chunks WHERE id > ? ORDER BY id LIMIT ?");
  let last = 0;
  for (;;) {
    const rows = select.all(last, BATCH) as { id: number; text: StoredText }[];
    if (rows.length === 0) break;
    storeVectors(
      db,
      set,
      rows.map(({ id, text }) => ({ chunkId: id, vector: textVector(textOf(db, text)) })),
    );
    last = rows.at(-1)!.id;
  }
  // A program that starts would do this in the background, while it is measured.
  while (packingStep(db));
  db.exec("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  await Deno.copyFile(`${from}/queries.json`, `${to}/queries.json`);
  await Deno.copyFile(`${from}/progress.json`, `${to}/progress.json`);
  print(`${to}: vectors in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

if (import.meta.main) {
  const [from, to] = Deno.args;
  if (from === undefined || to === undefined) throw new Error("usage: add_vectors.ts FROM TO");
  await addVectors(from, to);
}

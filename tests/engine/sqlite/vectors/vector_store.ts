import type { DatabaseSync } from "node:sqlite";
import { createDataDir, type DataDir } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { encodeVector, storedDotProduct } from "../../../../src/engine/sqlite/store/stored_vector.ts";
import { writeNewDatabase } from "../../../support/new_database.ts";
import { seededRandom } from "../../../support/random.ts";

export const IDENTITY = { model: "test-model", documentPrefix: "passage: " };

/** A real store in a temporary directory, with methods that write vectors like the engine. */
export class VectorStore implements AsyncDisposable {
  readonly dir: DataDir;
  readonly db: DatabaseSync;

  private constructor(dir: DataDir) {
    this.dir = dir;
    this.db = openForWriting(dir, () => "2026-01-01T00:00:00.000Z");
    this.db.exec("PRAGMA synchronous = OFF");
    this.#run(
      "INSERT INTO documents (id, title, doc_type, content_hash, size_bytes, chunk_count, created_at)" +
        " VALUES (1, 'd', 'text', '', 0, 0, '')",
    );
  }

  static async open(): Promise<VectorStore> {
    const path = await Deno.makeTempDir();
    writeNewDatabase(path);
    return new VectorStore(await createDataDir(path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.db.close();
    await Deno.remove(this.dir.path, { recursive: true });
  }

  /** Adds a set of vectors. Returns its id. */
  addSet(
    {
      dimensions = null,
      status = "serving",
      model = IDENTITY.model,
      documentPrefix = IDENTITY.documentPrefix,
    }: {
      dimensions?: number | null;
      status?: "building" | "serving";
      model?: string;
      documentPrefix?: string;
    } = {},
  ): number {
    return this.#run(
      "INSERT INTO embedding_sets (model, document_prefix, dimensions, status, created_at) VALUES (?, ?, ?, ?, '')",
      model,
      documentPrefix,
      dimensions,
      status,
    );
  }

  /** Adds or replaces vectors, and adds missing chunks. A null vector belongs to a rejected text. */
  put(set: number, vectors: Iterable<readonly [chunk: number, vector: Float32Array | null]>): void {
    this.db.exec("BEGIN");
    const chunk = this.db.prepare(
      "INSERT OR IGNORE INTO chunks (id, document_id, position, text, heading_path, search_heading)" +
        " VALUES (?1, 1, ?1, '', '[]', '')",
    );
    const remove = this.db.prepare("DELETE FROM chunk_vectors WHERE chunk_id = ? AND set_id = ?");
    const insert = this.db.prepare("INSERT INTO chunk_vectors (chunk_id, set_id, vector) VALUES (?, ?, ?)");
    for (const [id, vector] of vectors) {
      chunk.run(id);
      remove.run(id, set);
      insert.run(
        id,
        set,
        vector ? encodeVector(vector) : new Uint8Array(),
      );
    }
    this.db.exec("COMMIT");
  }

  /** Removes chunks, like the deletion of a document. */
  remove(chunks: Iterable<number>): void {
    this.db.exec("BEGIN");
    for (const chunk of chunks) {
      this.#run("INSERT INTO removed_chunks (chunk_id) VALUES (?)", chunk);
      this.#run("DELETE FROM chunks WHERE id = ?", chunk);
    }
    this.db.exec("COMMIT");
  }

  #run(sql: string, ...params: (string | number | null)[]): number {
    return Number(this.db.prepare(sql).run(...params).lastInsertRowid);
  }
}

/**
 * Returns a seeded generator of vectors of length 1, with normally distributed numbers like those of a model.
 */
export function vectorMaker(seed: number, dimensions: number): () => Float32Array<ArrayBuffer> {
  const { int } = seededRandom(seed);
  const spread = () => int(2001) + int(2001) + int(2001) + int(2001) - 4000 || 1;
  return () => {
    const vector = Float32Array.from({ length: dimensions }, spread);
    const length = Math.hypot(...vector);
    return vector.map((each) => each / length);
  };
}

const blobs = new WeakMap<Float32Array, Uint8Array<ArrayBuffer>>();

/** Encodes a vector once. */
function stored(vector: Float32Array): Uint8Array<ArrayBuffer> {
  let blob = blobs.get(vector);
  if (!blob) blobs.set(vector, blob = encodeVector(vector));
  return blob;
}

/** Reference search: computes and sorts all dot products with stored vectors, smaller ids first among equal ones. */
export function nearest(
  vectors: ReadonlyMap<number, Float32Array>,
  query: Float32Array,
  top: number,
  isAllowed: (id: number) => boolean = () => true,
): { ids: number[]; scores: number[]; passing: number } {
  const all = [...vectors].filter(([id]) => isAllowed(id)).map(([id, vector]) => ({
    id,
    score: storedDotProduct(query, stored(vector)),
  })).sort((a, b) => b.score - a.score || a.id - b.id);
  const results = all.slice(0, top);
  return {
    ids: results.map(({ id }) => id),
    scores: results.map(({ score }) => Math.fround(score)),
    passing: all.length,
  };
}

/** Returns a bitset of fixed size. Ids beyond its end are left out. */
export function bitset(ids: Iterable<number>, bytes: number): Uint8Array {
  const set = new Uint8Array(bytes);
  for (const id of ids) if (id >> 3 < bytes) set[id >> 3]! |= 1 << (id & 7);
  return set;
}

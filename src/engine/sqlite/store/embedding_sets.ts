import type { EmbeddingIdentity } from "../../../embeddings/mod.ts";
import type { DatabaseSync } from "node:sqlite";
import { DataDirError } from "./data_dir.ts";
import { all, count, first, inTransaction, run } from "./sql.ts";

/** A row of `embedding_sets`. */
export interface EmbeddingSet {
  readonly id: number;
  readonly model: string;
  readonly document_prefix: string;
  readonly dimensions: number | null;
  readonly status: "building" | "serving";
}

/**
 * The set that an engine of this identity serves and adds to: the newest serving one. Without one it is created; one that
 * has no vectors yet takes the new identity.
 *
 * To be called in a transaction of the writing connection.
 *
 * @param command The command that embeds everything anew with this identity.
 * @returns The set's id.
 * @throws {DataDirError} When the newest serving set has another identity.
 */
export function claimEmbeddingSet(
  db: DatabaseSync,
  identity: EmbeddingIdentity,
  { command, now }: { command: string; now: string },
): number {
  const [serving] = servingSets(db);
  if (!serving) return createSet(db, identity, "serving", now);
  const { id } = serving;
  if (matches(serving, identity)) {
    if (serving.dimensions === null && identity.dimensions !== undefined) {
      run(db, "UPDATE embedding_sets SET dimensions = ? WHERE id = ?", identity.dimensions, id);
    }
    return id;
  }
  if (!first(db, "SELECT 1 FROM chunk_vectors WHERE set_id = ? LIMIT 1", id)) {
    const { model, documentPrefix, dimensions } = identity;
    run(
      db,
      "UPDATE embedding_sets SET model = ?, document_prefix = ?, dimensions = ? WHERE id = ?",
      model,
      documentPrefix,
      dimensions ?? null,
      id,
    );
    return id;
  }
  throw new DataDirError(
    `The stored vectors were made with ${
      settings(serving, identity).join(", ")
    }. Embed everything anew with\n` +
      `  ${command}\n` +
      "(which can run beside an engine that still has the old settings), or set them back",
  );
}

/** The set that `kb-mcp reindex` fills: one of this identity that was begun before, else a new one. In a transaction. */
export function claimBuildingSet(db: DatabaseSync, identity: EmbeddingIdentity, now: string): EmbeddingSet {
  // One that is older than what is served would never be served itself.
  const begun = all<EmbeddingSet>(
    db,
    "SELECT * FROM embedding_sets WHERE status = 'building' AND id > ? ORDER BY id DESC",
    servingSets(db)[0]?.id ?? 0,
  ).find((set) => matches(set, identity));
  if (begun) return begun;
  const id = createSet(db, identity, "building", now);
  return embeddingSet(db, id) ?? raise(new Error("The set that was just created is not there"));
}

/**
 * Marks a set as serving if it has a vector for every chunk. In a transaction, so that no chunk can come in between.
 *
 * @returns Whether it has.
 */
export function serveIfComplete(db: DatabaseSync, id: number): boolean {
  const vectors = count(db, "SELECT count(*) AS n FROM chunk_vectors WHERE set_id = ?", id);
  if (vectors < count(db, "SELECT count(*) AS n FROM chunks")) return false;
  run(db, "UPDATE embedding_sets SET status = 'serving' WHERE id = ?", id);
  return true;
}

/** The newest set with the vectors of this identity that is complete, or the one that is being filled since there is no other. */
export function servingSet(db: DatabaseSync, identity: EmbeddingIdentity): EmbeddingSet | undefined {
  return servingSets(db).find((set) => matches(set, identity));
}

/** A set by its id. */
export function embeddingSet(db: DatabaseSync, id: number): EmbeddingSet | undefined {
  return first<EmbeddingSet>(db, "SELECT * FROM embedding_sets WHERE id = ?", id);
}

/**
 * Removes a part of the vectors of sets that came before this one, and at last the sets, in a transaction of its own.
 *
 * @param max Most vectors that one call removes.
 * @returns Whether there is more to do.
 */
export function removeOlderSets(db: DatabaseSync, id: number, max: number): boolean {
  if (!hasOlderSets(db, id)) return false;
  return inTransaction(db, () => {
    const { changes } = run(
      db,
      "DELETE FROM chunk_vectors WHERE seq IN (SELECT seq FROM chunk_vectors WHERE set_id < ? LIMIT ?)",
      id,
      max,
    );
    if (changes < max) run(db, "DELETE FROM embedding_sets WHERE id < ?", id);
    return changes >= max;
  });
}

/** Whether sets that came before this one are left. */
export function hasOlderSets(db: DatabaseSync, id: number): boolean {
  return first(db, "SELECT 1 FROM embedding_sets WHERE id < ? LIMIT 1", id) !== undefined;
}

/** Newest first. */
function servingSets(db: DatabaseSync): EmbeddingSet[] {
  return all<EmbeddingSet>(db, "SELECT * FROM embedding_sets WHERE status = 'serving' ORDER BY id DESC");
}

function createSet(
  db: DatabaseSync,
  { model, documentPrefix, dimensions }: EmbeddingIdentity,
  status: EmbeddingSet["status"],
  now: string,
): number {
  return run(
    db,
    "INSERT INTO embedding_sets (model, document_prefix, dimensions, status, created_at) VALUES (?, ?, ?, ?, ?)",
    model,
    documentPrefix,
    dimensions ?? null,
    status,
    now,
  ).id;
}

function matches(set: EmbeddingSet, { model, documentPrefix, dimensions }: EmbeddingIdentity): boolean {
  return set.model === model && set.document_prefix === documentPrefix &&
    (dimensions === undefined || set.dimensions === null || set.dimensions === dimensions);
}

/** The settings of a set that differ from the given ones, each with what it is now. */
function settings(set: EmbeddingSet, { model, documentPrefix, dimensions }: EmbeddingIdentity): string[] {
  const pairs: [name: string, was: string | number | null, is: string | number | undefined][] = [
    ["KB_EMBEDDINGS_MODEL", set.model, model],
    ["KB_EMBEDDINGS_DOCUMENT_PREFIX", set.document_prefix, documentPrefix],
    ["KB_EMBEDDINGS_DIMENSIONS", set.dimensions, dimensions ?? set.dimensions ?? undefined],
  ];
  return pairs.filter(([, was, is]) => was !== is && was !== null).map(([name, was, is]) =>
    `${name} ${JSON.stringify(was)}, and it is ${JSON.stringify(is)} now`
  );
}

function raise(error: Error): never {
  throw error;
}

import type { DatabaseSync } from "node:sqlite";
import type { EmbeddingIdentity } from "../../../embeddings/mod.ts";
import { DataDirError } from "./data_dir.ts";
import { all, first, inTransaction, run } from "./sql.ts";
import { countVectors } from "./vectors.ts";

/** A set of vectors of one model: a row of `embedding_sets`. */
export interface EmbeddingSet {
  readonly id: number;
  readonly model: string;
  readonly document_prefix: string;
  readonly dimensions: number | null;
  readonly status: "building" | "serving";
}

/** The newest serving set has vectors of another identity. */
export class OtherModelError extends DataDirError {
  /** Name of the model that made the stored vectors. */
  readonly model: string;

  constructor(message: string, model: string) {
    super(message);
    this.model = model;
  }
}

/**
 * Returns the set that an engine with this identity serves and fills: the newest serving one, which is
 * created if missing. An empty set takes the new identity. Must be called in a transaction.
 *
 * @param command Command that embeds all chunks again with this identity, for the error message.
 * @returns Id of the set.
 * @throws {OtherModelError} When the newest serving set has vectors of another identity.
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
  const changes = changedSettings(serving, identity).join(", ");
  throw new OtherModelError(
    `The stored vectors were made with ${changes}. Embed all chunks again with
` +
      `  ${command}
` +
      "(an engine with the old settings may keep running), or restore the settings",
    serving.model,
  );
}

/**
 * Returns the set that `kb-mcp reindex` fills: an incomplete one of this identity, or a new one. Must be
 * called in a transaction.
 */
export function claimBuildingSet(db: DatabaseSync, identity: EmbeddingIdentity, now: string): EmbeddingSet {
  // A set older than the serving one would never be served.
  const incomplete = all<EmbeddingSet>(
    db,
    "SELECT * FROM embedding_sets WHERE status = 'building' AND id > ? ORDER BY id DESC",
    servingSets(db)[0]?.id ?? 0,
  ).find((set) => matches(set, identity));
  if (incomplete) return incomplete;
  const id = createSet(db, identity, "building", now);
  return embeddingSet(db, id)!;
}

/**
 * Marks a set as serving if it has a vector for every chunk. Must be called in a transaction, so that no
 * chunk is added meanwhile.
 *
 * @returns Whether the set is complete.
 */
export function serveIfComplete(db: DatabaseSync, id: number): boolean {
  const { embedded, refused, total } = countVectors(db, id);
  if (embedded + refused < total) return false;
  run(db, "UPDATE embedding_sets SET status = 'serving' WHERE id = ?", id);
  return true;
}

/** Returns the newest serving set of this identity. */
export function servingSet(db: DatabaseSync, identity: EmbeddingIdentity): EmbeddingSet | undefined {
  return servingSets(db).find((set) => matches(set, identity));
}

/** Returns a set by id. */
export function embeddingSet(db: DatabaseSync, id: number): EmbeddingSet | undefined {
  return first<EmbeddingSet>(db, "SELECT * FROM embedding_sets WHERE id = ?", id);
}

/**
 * Removes sets older than this one, at most `max` vectors per call, in a transaction of its own.
 *
 * @returns Whether more calls are needed.
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

/** Whether there are sets older than this one. */
export function hasOlderSets(db: DatabaseSync, id: number): boolean {
  return first(db, "SELECT 1 FROM embedding_sets WHERE id < ? LIMIT 1", id) !== undefined;
}

/** Returns the serving sets, newest first. */
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

/** Describes the settings that differ between a set and an identity. */
function changedSettings(
  set: EmbeddingSet,
  { model, documentPrefix, dimensions }: EmbeddingIdentity,
): string[] {
  const settings: [name: string, stored: string | number | null, current: string | number | undefined][] = [
    ["KB_EMBEDDINGS_MODEL", set.model, model],
    ["KB_EMBEDDINGS_DOCUMENT_PREFIX", set.document_prefix, documentPrefix],
    ["KB_EMBEDDINGS_DIMENSIONS", set.dimensions, dimensions ?? set.dimensions ?? undefined],
  ];
  return settings.filter(([, stored, current]) => stored !== current && stored !== null)
    .map(([name, stored, current]) =>
      `${name} ${JSON.stringify(stored)}, which is ${JSON.stringify(current)} now`
    );
}

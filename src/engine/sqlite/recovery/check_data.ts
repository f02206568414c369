import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import {
  assertCommits,
  columnCoverage,
  CommitMarker,
  count,
  DataDamagedError,
  type DataDir,
  dataDirAt,
  DataDirError,
  fileSize,
  hasSymbolRows,
  hasTable,
  isOutOfMemory,
  openForReading,
  readableText,
  readSymbols,
  readVectorPage,
  recordedUnicodeVersion,
  SYMBOL_TABLES,
  unicodeVersion,
  wrongColumns,
} from "../store/mod.ts";

/** A part of the data that was checked. */
export interface CheckedPart {
  readonly name:
    | "commits"
    | "database"
    | "references"
    | "texts"
    | "full text"
    | "word forms"
    | "chunk lengths"
    | "vectors"
    | "queue";
  /** `warning`: something to know that is not damage. */
  readonly state: "ok" | "warning" | "damaged";
  /** Counts, or the problem. */
  readonly message: string;
}

/** Result of {@linkcode checkData}. */
export interface CheckResult {
  readonly parts: readonly CheckedPart[];
  /** Whether no part is damaged. */
  readonly isIntact: boolean;
}

/** Maximum number of problems that a message lists. */
const MAX_PROBLEMS = 5;

/**
 * Checks the stored data completely, also while an engine uses it. Changes nothing.
 *
 * @throws {DataDirError} When the directory has no data or cannot be read.
 *
 * @example
 * ```ts
 * import { checkData } from "./check_data.ts";
 * import { DataDirError } from "../../mod.ts";
 * import { assertThrows } from "@std/assert";
 * assertThrows(() => checkData("/nowhere"), DataDirError, "no data");
 * ```
 */
export function checkData(dataDir: string): CheckResult {
  const dir = dataDirAt(dataDir);
  if (fileSize(dir.database) < 0 && !CommitMarker.read(dir.marker)) {
    throw new DataDirError(
      `Cannot check KB_DATA_DIR ${
        JSON.stringify(dataDir)
      }: it has no data. Check that KB_DATA_DIR is set as for the server`,
    );
  }
  const parts = [...checkParts(dir)];
  return { parts, isIntact: parts.every(({ state }) => state !== "damaged") };
}

function* checkParts(dir: DataDir): Generator<CheckedPart> {
  // Read before the database, so that it is never ahead of a running writer.
  const { commit } = CommitMarker.read(dir.marker) ?? { commit: 0 };
  let db: DatabaseSync;
  try {
    db = openForReading(dir);
  } catch (error) {
    if (!(error instanceof DataDamagedError)) throw error;
    return yield { name: "database", state: "damaged", message: error.message };
  }
  try {
    // All parts see the same commit, also while a server writes.
    db.exec("BEGIN");
    yield part("commits", () => checkCommits(db, dir, commit));
    yield part("database", () => checkPages(db));
    yield part("references", () => checkReferences(db));
    yield part("texts", () => checkTexts(db));
    yield part("full text", () => checkFullText(db, dir));
    yield part("word forms", () => checkIndex(db, dir, "derived_fts"));
    yield part("chunk lengths", () => checkColumns(db));
    yield part("vectors", () => checkVectors(db));
    yield part("queue", () => checkQueue(db, dir));
  } finally {
    db.close();
  }
}

/** Runs a check. An error of SQLite is damage, unless memory is short. */
function part(
  name: CheckedPart["name"],
  check: () => Pick<CheckedPart, "state" | "message">,
): CheckedPart {
  try {
    return { name, ...check() };
  } catch (error) {
    if (isOutOfMemory(error)) {
      throw new DataDirError("Cannot check the data: memory is short. Free memory, then try again", {
        cause: error,
      });
    }
    return { name, state: "damaged", message: (error as Error).message };
  }
}

const ok = (message: string) => ({ state: "ok", message }) as const;
const damaged = (message: string) => ({ state: "damaged", message }) as const;

function checkCommits(db: DatabaseSync, dir: DataDir, commit: number) {
  assertCommits(db, dir, commit);
  return ok("no acknowledged change is missing");
}

function checkPages(db: DatabaseSync) {
  const problems = db.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).all()
    .map(({ integrity_check }) => String(integrity_check));
  if (problems[0] !== "ok") return damaged(problems.join("; "));
  return ok(`${count(db, "SELECT count(*) AS n FROM documents")} documents; SQLite finds no problem`);
}

function checkReferences(db: DatabaseSync) {
  const rows = db.prepare('SELECT "table" AS name, count(*) AS n FROM pragma_foreign_key_check GROUP BY 1')
    .all();
  const chunks = count(
    db,
    `SELECT count(*) AS n FROM chunks WHERE document_id NOT IN (SELECT id FROM documents)${
      hasTable(db, "contents") ? " AND document_id NOT IN (SELECT id FROM contents)" : ""
    }`,
  );
  if (chunks > 0) rows.push({ name: "chunks", n: chunks });
  if (rows.length > 0) {
    return damaged(rows.map(({ name, n }) => `${n} rows of ${name} without their document`).join("; "));
  }
  return ok("no row has lost its document");
}

/** Reads all packed texts, and both copies of the symbols that they were packed with. */
function checkTexts(db: DatabaseSync) {
  const total = count(db, "SELECT count(*) AS n FROM chunks");
  let packed = 0;
  let unreadable = 0;
  // For each row its own decision: a text of the wrong type is damage, too.
  for (const { text } of db.prepare("SELECT text FROM chunks WHERE typeof(text) <> 'text'").iterate()) {
    packed++;
    if (!(text instanceof Uint8Array) || readableText(db, text) === undefined) unreadable++;
  }
  if (unreadable > 0) {
    return damaged(`${unreadable} of ${packed} packed texts cannot be read: run kb-mcp repair`);
  }
  // The second copy is written before the first text is packed.
  const written = SYMBOL_TABLES.filter((table) =>
    hasTable(db, table) && (packed > 0 || hasSymbolRows(db, table))
  );
  const symbols = readSymbols(db);
  const incomplete = written.filter((table) => symbols?.incomplete.includes(table) ?? true);
  if (incomplete.length > 0) {
    return damaged(
      `no text is lost, but the symbols in ${incomplete.join(" and ")} are damaged: run kb-mcp repair`,
    );
  }
  return ok(`${packed} of ${total} are packed`);
}

/** Checks the full-text index of the chunks, and with which version of Unicode their text was normalized. */
function checkFullText(db: DatabaseSync, dir: DataDir) {
  const checked = checkIndex(db, dir, "chunks_fts", "chunks");
  const recorded = recordedUnicodeVersion(db);
  if (checked.state !== "ok" || recorded === undefined || recorded === unicodeVersion()) return checked;
  return {
    state: "warning",
    message:
      `built with Unicode ${recorded}, this program has ${unicodeVersion()}: words with characters that differ ` +
      "may not be found until kb-mcp repair builds it again",
  } as const;
}

/** Reads a full-text index completely, and compares its rows with those of its content. */
function checkIndex(db: DatabaseSync, dir: DataDir, index: string, content?: string) {
  if (!hasTable(db, index)) {
    return { state: "warning", message: "not there yet: the next start of the server adds it" } as const;
  }
  const terms = countTerms(dir, index);
  const rows = content ?? "(SELECT id FROM chunks)";
  const unindexed = content === undefined ? 0 : count(
    db,
    `SELECT count(*) AS n FROM ${content} WHERE id NOT IN (SELECT id FROM ${index}_docsize)`,
  );
  const orphans = count(
    db,
    `SELECT count(*) AS n FROM ${index}_docsize WHERE id NOT IN (SELECT id FROM ${rows})`,
  );
  if (unindexed + orphans > 0) {
    return damaged(`${unindexed} chunks are not in it, ${orphans} of its rows have no chunk`);
  }
  return ok(`${terms} terms`);
}

/** Counts the terms of an index, for which SQLite reads all of it. In a connection of its own, which may add a table. */
function countTerms(dir: DataDir, index: string): number {
  using db = new DatabaseSync(dir.database, { readOnly: true });
  db.exec(
    `PRAGMA temp_store = MEMORY; CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', '${index}', 'row')`,
  );
  return count(db, "SELECT count(*) AS n FROM temp.terms");
}

/** Compares the columns of chunks with the rows that they are built from. */
function checkColumns(db: DatabaseSync) {
  if (!hasTable(db, "chunk_columns")) {
    return { state: "warning", message: "not there yet: the next start of the server adds them" } as const;
  }
  const wrong = wrongColumns(db);
  if (wrong !== undefined) return damaged(`those of chunk ${wrong} are wrong: run kb-mcp repair`);
  const { lastChunk } = columnCoverage(db);
  return ok(lastChunk === 0 ? "none are stored for so few chunks" : `stored up to chunk ${lastChunk}`);
}

/** Counts damaged pages of codes. */
function damagedPages(db: DatabaseSync): number {
  if (!hasTable(db, "vector_pages")) return 0;
  const pages = db.prepare(
    "SELECT p.id AS id, s.dimensions AS dimensions FROM vector_pages p JOIN embedding_sets s ON s.id = p.set_id",
  ).all();
  return pages.filter(({ id, dimensions }) => !readVectorPage(db, Number(id), Number(dimensions))).length;
}

function checkVectors(db: DatabaseSync) {
  const wrong = count(
    db,
    `SELECT count(*) AS n FROM chunk_vectors AS v JOIN embedding_sets AS s ON s.id = v.set_id
     WHERE length(v.vector) > 0 AND s.dimensions IS NOT NULL
       AND length(v.vector) NOT IN (4 + s.dimensions + (s.dimensions + 3) / 4, 4 * s.dimensions)`,
  );
  if (wrong > 0) return damaged(`${wrong} vectors have the wrong size: run kb-mcp reindex`);
  const pages = damagedPages(db);
  if (pages > 0) {
    return {
      state: "warning",
      message: `${pages} pages of codes cannot be read: the server writes them again`,
    } as const;
  }
  const total = count(db, "SELECT count(*) AS n FROM chunk_vectors");
  const missing = count(
    db,
    `SELECT count(*) AS n FROM chunks WHERE EXISTS (SELECT 1 FROM embedding_sets WHERE status = 'serving')
     AND id NOT IN (SELECT chunk_id FROM chunk_vectors JOIN embedding_sets AS s ON s.id = set_id
                    WHERE s.status = 'serving')`,
  );
  if (missing > 0) {
    return {
      state: "warning",
      message: `${total} vectors; ${missing} chunks have none yet: the server adds them`,
    } as const;
  }
  return ok(`${total} vectors`);
}

function checkQueue(db: DatabaseSync, dir: DataDir) {
  // Of ended jobs, files are only kept for a retry.
  const claimed = db.prepare(
    "SELECT spool_file AS name FROM jobs WHERE status IN ('queued', 'processing') AND spool_file IS NOT NULL",
  ).all().map(({ name }) => String(name));
  const missing = claimed.filter((name) => fileSize(join(dir.spool, name)) < 0).length;
  if (missing > 0) {
    return {
      state: "warning",
      message: `the files of ${missing} queued jobs are missing: these jobs will fail`,
    } as const;
  }
  return ok(`${claimed.length} files are queued`);
}

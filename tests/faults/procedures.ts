/**
 * Work of an engine on its data directory outside of requests: start, migration, close and reindex.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { EmbeddingOptions } from "../../src/embeddings/mod.ts";
import { DataDirError, reindex } from "../../src/engine/mod.ts";
import { createDataDir } from "../../src/engine/sqlite/store/data_dir.ts";
import { migrate } from "../../src/engine/sqlite/store/migrate.ts";
import { MIGRATIONS } from "../../src/engine/sqlite/store/migrations.ts";
import { inTransaction, StoreOperations } from "../../src/engine/sqlite/store/mod.ts";
import { openForWriting } from "../../src/engine/sqlite/store/open.ts";
import { timestamp } from "../../src/engine/sqlite/store/sql.ts";
import { loadFrontMatter } from "../../src/extraction/mod.ts";
import { EmbeddedEngine } from "../support/embedded_engine.ts";
import { TestEmbedder } from "../support/test_embedder.ts";
import { addDocument } from "./operations.ts";
import { document, type Documents, type Expected } from "./model.ts";

/** A procedure during which calls fail. */
export interface Procedure {
  /** Fills an empty directory. Returns the documents that every later engine must have. */
  readonly prepare: (dataDir: string) => Promise<Documents>;
  /**
   * Runs until its end or a fault. Errors are expected, but only those with advice for the operator.
   *
   * @param arm Arms the library; calls before it succeed.
   * @param hasFailed Whether a call has failed.
   */
  readonly run: (dataDir: string, arm: () => void, hasFailed: () => boolean) => Promise<void>;
}

const DOCUMENTS = ["basisone", "basistwo", "basisthree"].map((word) => document(word));

/** Procedures by name. */
export const PROCEDURES: Readonly<Record<string, Procedure>> = {
  "first start": { prepare: () => Promise.resolve(new Map()), run: start },
  "start after a kill": { prepare: leaveQueuedJobs, run: start },
  "migrate": { prepare: (dataDir) => createOldDatabase(dataDir, DOCUMENTS), run: start },
  "close": {
    prepare: leaveQueuedJobs,
    async run(dataDir, arm) {
      const engine = await EmbeddedEngine.over(dataDir);
      await engine.call("status");
      arm();
      await engine.close();
    },
  },
  "reindex": {
    async prepare(dataDir) {
      await using engine = await openEngine(dataDir);
      for (const each of DOCUMENTS) await addDocument(engine.engine, each);
      return asDocuments(DOCUMENTS);
    },
    async run(dataDir, arm, hasFailed) {
      await using embedder = await TestEmbedder.start();
      arm();
      const stop = new AbortController();
      // A lasting fault would keep it retrying.
      const timer = setInterval(() => hasFailed() && stop.abort(), 300);
      const embeddings = embeddingOptions(embedder.url);
      await reindex({ dataDir, embeddings, signal: stop.signal }).finally(() => clearInterval(timer));
    },
  },
};

/** Whether an error of a procedure says what to do. */
export function hasAdvice(error: unknown): boolean {
  return error instanceof DataDirError && /: [a-z]/.test(error.message);
}

async function start(dataDir: string, arm: () => void, hasFailed: () => boolean): Promise<void> {
  arm();
  await using opened = await openEngine(dataDir);
  for (let unfinished = 1; unfinished > 0 && !hasFailed();) {
    const { status, body } = await opened.engine.call("status");
    if (status === 200) unfinished = body.queue.queued + body.queue.processing;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Opens an engine; disposing closes it and keeps its directory. */
async function openEngine(dataDir: string) {
  const engine = await EmbeddedEngine.over(dataDir);
  return { engine, [Symbol.asyncDispose]: () => engine.close() };
}

/** Leaves a note and a file in the queue, and the write-ahead log of a killed process. */
async function leaveQueuedJobs(dataDir: string): Promise<Documents> {
  const dir = await createDataDir(`${dataDir}-killed`);
  const db = openForWriting(dir, timestamp);
  const [stored, note, file] = DOCUMENTS as [Expected, Expected, Expected];
  await store(db, [stored]);
  const operations = storeOperations(db);
  operations.createJob(jobOf(note));
  await Deno.writeTextFile(`${dir.spool}/spooled`, file.text);
  const { text: _, ...job } = jobOf(file);
  operations.createJob({ ...job, spoolFile: "spooled", filename: "file.txt" });
  await copy(dir.path, dataDir);
  db.close();
  await Deno.remove(dir.path, { recursive: true });
  return asDocuments(DOCUMENTS);
}

/** Creates a database with the migrations before the first that rewrites the index. */
export async function createOldDatabase(
  dataDir: string,
  documents: readonly Expected[],
): Promise<Documents> {
  const dir = await createDataDir(dataDir);
  const db = new DatabaseSync(dir.database);
  db.exec("PRAGMA journal_mode = WAL");
  migrate(db, MIGRATIONS.slice(0, MIGRATIONS.findIndex(({ run }) => run)), timestamp);
  inTransaction(db, () => {
    for (const each of documents) insertOldNote(db, each);
    db.exec("INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')");
  });
  db.close();
  return asDocuments(documents);
}

/** Inserts a note of one chunk into the tables of an older version, which today's operations do not know. */
function insertOldNote(db: DatabaseSync, { text, tags }: Expected): void {
  const { contentHash, sizeBytes } = jobOf({ text, tags });
  const { lastInsertRowid: id } = db.prepare(
    `INSERT INTO documents (title, doc_type, content_hash, size_bytes, chunk_count, created_at)
     VALUES (?, 'note', ?, ?, 1, ?)`,
  ).run(text, contentHash, sizeBytes, timestamp());
  db.prepare(
    `INSERT INTO chunks (document_id, position, text, search_text, heading_path, search_heading,
                         line_start, line_end, char_start, char_end)
     VALUES (?, 0, ?, 'normalized by an older version', '[]', '', 1, 1, 0, ?)`,
  ).run(id, text, text.length);
  for (const tag of tags) {
    db.prepare("INSERT OR IGNORE INTO tags (name) VALUES (?)").run(tag);
    db.prepare("INSERT INTO document_tags (document_id, tag_id) SELECT ?, id FROM tags WHERE name = ?")
      .run(id, tag);
  }
}

async function store(db: DatabaseSync, documents: readonly Expected[]): Promise<void> {
  await loadFrontMatter();
  const operations = storeOperations(db);
  for (const each of documents) operations.createJob(jobOf(each));
  inTransaction(db, () => operations.ingestNotes(documents.length));
}

function storeOperations(db: DatabaseSync): StoreOperations {
  const chunk = { maxTokens: 320, overlapTokens: 48 };
  return new StoreOperations(db, { chunk, maxQueuedJobs: 10, now: timestamp });
}

function jobOf({ text, tags }: Pick<Expected, "text" | "tags">) {
  const contentHash = createHash("sha256").update(text).digest("hex");
  return { text, contentHash, sizeBytes: text.length, tags: [...tags] };
}

function asDocuments(documents: readonly Expected[]): Documents {
  return new Map(documents.map((each) => [each.word, each]));
}

function embeddingOptions(url: string): EmbeddingOptions {
  return {
    type: "api",
    url,
    model: "test-model",
    queryPrefix: "",
    documentPrefix: "",
    batchSize: 1,
    concurrency: 1,
    timeoutMs: 30_000,
  };
}

/**
 * Copies a directory in another process: closing a file of SQLite here would release its locks. The marker is read
 * first, since it must not be newer than the database when the engine commits meanwhile.
 */
export async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  const marker = await Deno.readFile(`${from}/kb.commit`).catch(() => undefined);
  const { success } = await new Deno.Command("cp", { args: ["-R", `${from}/.`, to], env: { LD_PRELOAD: "" } })
    .output();
  if (!success) throw new Error(`Cannot copy ${from} to ${to}`);
  if (marker) await Deno.writeFile(`${to}/kb.commit`, marker);
}

import {
  type Operation,
  type OperationsOptions,
  StoreOperations,
} from "../../../../src/engine/sqlite/store/operations.ts";
import type { SerializedError } from "../../../../src/async/mod.ts";
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Document, Job } from "../../../../src/contract/mod.ts";
import { createDataDir, type DataDir } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { DOCUMENT_OF_CHUNK, getDocument, getJob } from "../../../../src/engine/sqlite/store/mod.ts";
import { CommitMarker, lastCommit } from "../../../../src/engine/sqlite/store/commit_marker.ts";
import { openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { writeNewDatabase } from "../../../support/new_database.ts";
import { loadLanguages } from "../../../../src/analysis/mod.ts";
import { loadFrontMatter } from "../../../../src/extraction/front_matter.ts";
import type { ChunkDraft } from "../../../../src/extraction/chunking/types.ts";
import { commitGroup } from "../../../../src/engine/sqlite/writer/commit_group.ts";
import { type IngestedFile, KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";

export const CHUNK = { maxTokens: 320, overlapTokens: 48 };

/** Optional fields of a job. */
export interface JobFields {
  title?: string;
  sourcePath?: string;
  tags?: string[];
  overwrite?: boolean;
  keepCollection?: boolean;
  addOnly?: boolean;
  actor?: string;
}

/** A real store in a temporary directory, with a clock that advances one second per reading. */
export class TestStore implements AsyncDisposable {
  readonly dir: DataDir;
  readonly db: DatabaseSync;
  readonly operations: StoreOperations;

  private constructor(dir: DataDir, options: Partial<OperationsOptions>) {
    let seconds = 0;
    const now = () => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds++)).toISOString();
    this.dir = dir;
    this.db = openForWriting(dir, now);
    this.operations = new StoreOperations(this.db, { chunk: CHUNK, maxQueuedJobs: 1000, now, ...options });
  }

  /** Opens a copy of a new database. */
  static async open(options: Partial<OperationsOptions> = {}): Promise<TestStore> {
    const path = await Deno.makeTempDir();
    writeNewDatabase(path);
    return await TestStore.#open(path, options);
  }

  /** Creates the database as the program does, so that its log contains everything. */
  static async create(): Promise<TestStore> {
    return await TestStore.#open(await Deno.makeTempDir(), {});
  }

  static async #open(path: string, options: Partial<OperationsOptions>): Promise<TestStore> {
    await loadFrontMatter();
    // As in the writer. Other tests of the same isolate may have loaded them, too.
    await loadLanguages();
    return new TestStore(await createDataDir(path), options);
  }

  /** Opens an existing directory. */
  static over(dir: DataDir): TestStore {
    return new TestStore(dir, {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.db.isOpen) this.db.close();
    await Deno.remove(this.dir.path, { recursive: true });
  }

  /** Runs an operation in its own transaction. */
  write<Op extends Operation>(
    op: Op,
    ...args: Parameters<StoreOperations[Op]>
  ): ReturnType<StoreOperations[Op]> {
    const [response] = commitGroup(this.db, this.operations, [{ operation: op, args }]);
    if (response && "result" in response) return response.result as ReturnType<StoreOperations[Op]>;
    const error: SerializedError = response?.error ?? { code: "internal", message: "no result" };
    const { code, message, details } = error;
    throw new KnowledgeBaseError(code as KnowledgeBaseError["code"], message, { details });
  }

  /** Adds and ingests a note. Returns its job. */
  addNote(text: string, { tags = [], ...fields }: JobFields = {}): Job {
    const job = this.write("createJob", {
      text,
      contentHash: sha256(text),
      sizeBytes: text.length,
      tags,
      ...fields,
    });
    this.write("ingestNotes", 1);
    return this.job(job);
  }

  /** Adds a file and completes its job with extracted text. Returns the job. */
  addFile(
    text: string,
    { tags = [], ...fields }: JobFields = {},
    extracted: Partial<IngestedFile> = {},
  ): Job {
    const job = this.write("createJob", {
      spoolFile: "spooled",
      filename: "report.pdf",
      contentHash: sha256(text),
      sizeBytes: text.length,
      tags,
      ...fields,
    });
    const jobId = this.write("claimFiles")[0]?.jobId ?? NaN;
    this.write("finishFile", { jobId, docType: "pdf", tags: [], chunks: [draft(text)], ...extracted });
    return this.job(job);
  }

  /** Writes the number of the last commit to the marker, as the writer does. */
  recordCommit(): void {
    using marker = CommitMarker.open(this.dir.marker);
    marker.write({ commit: lastCommit(this.db), closed: undefined });
  }

  job({ job_id }: Pick<Job, "job_id">): Job {
    return getJob(this.db, Number(job_id)) ?? fail(`no job ${job_id}`);
  }

  document(id: unknown): Document {
    return getDocument(this.db, Number(id)) ?? fail(`no document ${id}`);
  }

  /** Returns the ids of documents that match an FTS5 query. */
  find(query: string): number[] {
    return this.db.prepare(
      `SELECT DISTINCT d.id FROM chunks_fts
         JOIN chunks c ON c.id = chunks_fts.rowid
         JOIN documents d ON d.id = ${DOCUMENT_OF_CHUNK}
        WHERE chunks_fts MATCH ? ORDER BY 1`,
    ).all(query).map((row) => Number(row.id));
  }

  count(table: string): number {
    return Number(this.db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
  }

  /** Throws if the database or its full-text index is inconsistent. */
  check(): void {
    checkIntegrity(this.db);
  }
}

/** Throws if a database or its full-text index is inconsistent. */
export function checkIntegrity(db: DatabaseSync): void {
  // With rank 1, FTS5 also compares the index with its content.
  db.exec("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)");
  const result = db.prepare("PRAGMA integrity_check").get()?.integrity_check;
  if (result !== "ok") fail(String(result));
  if (db.prepare("PRAGMA foreign_key_check").all().length > 0) fail("foreign_key_check failed");
}

/**
 * Returns a data directory as a killed process leaves it: `notes` acknowledged notes, each in its own commit,
 * and a write-ahead log.
 */
export async function killedStore(notes: number): Promise<DataDir & AsyncDisposable> {
  await using store = await TestStore.create();
  // No checkpoint: all commits stay in the log.
  store.db.exec("PRAGMA wal_autocheckpoint = 0");
  for (let i = 0; i < notes; i++) {
    const text = `note ${i} ${"about something ".repeat(50)}`;
    const job = { text, contentHash: sha256(text), sizeBytes: text.length, tags: [`tag${i}`] };
    commitGroup(store.db, store.operations, [
      { operation: "createJob", args: [job] },
      { operation: "ingestNotes", args: [1] },
    ]);
  }
  store.recordCommit();
  const dir = await createDataDir(await Deno.makeTempDir());
  for (const file of ["kb.db", "kb.db-wal", "kb.db-shm", "kb.commit"]) {
    await Deno.copyFile(`${store.dir.path}/${file}`, `${dir.path}/${file}`);
  }
  return { ...dir, [Symbol.asyncDispose]: () => Deno.remove(dir.path, { recursive: true }) };
}

/** Returns a row without the version of its analysis: the writer analyzes repaired documents again. */
export function withoutAnalysis(row: Record<string, unknown>): Record<string, unknown> {
  const { analysis_version: _, ...rest } = row;
  return rest;
}

/** Returns the names of the files in a directory, sorted. */
export function namesIn(path: string): string[] {
  return [...Deno.readDirSync(path)].map(({ name }) => name).sort();
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns one chunk with the whole text. */
export function draft(text: string): ChunkDraft {
  return {
    text,
    headingPath: [],
    charStart: 0,
    charEnd: text.length,
    lineStart: 1,
    lineEnd: 1,
    pageStart: 1,
    pageEnd: 1,
  };
}

function fail(message: string): never {
  throw new Error(message);
}

/**
 * The state that callers may rely on, and its comparison with a data directory.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { EmbeddedEngine } from "../support/embedded_engine.ts";
import { registerFunctions } from "../../src/engine/sqlite/store/mod.ts";

/** A document that the engine has acknowledged. */
export interface Expected {
  /** A word that no other document contains. */
  readonly word: string;
  readonly text: string;
  readonly tags: readonly string[];
}

/** Documents by their words. */
export type Documents = ReadonlyMap<string, Expected>;

/** Returns documents with one added or replaced. */
export function withDocument(documents: Documents, document: Expected): Documents {
  return new Map([...documents, [document.word, document]]);
}

/** Returns documents without one. */
export function withoutDocument(documents: Documents, word: string): Documents {
  return new Map([...documents].filter(([each]) => each !== word));
}

/** Creates a document of some paragraphs, each about as long as a chunk. */
export function document(word: string, { paragraphs = 1, tags = ["faults"] } = {}): Expected {
  const paragraph = "Some words to be chunked and indexed. ".repeat(paragraphs === 1 ? 1 : 30);
  const text = [word, ...Array(paragraphs).fill(paragraph)].join("\n\n");
  return { word, text, tags };
}

/**
 * Waits until no job is unfinished, then compares the documents with the allowed states and searches for each.
 *
 * @returns The matching state and what is wrong.
 */
export async function compare(
  engine: EmbeddedEngine,
  allowed: readonly Documents[],
  absentWords: readonly string[],
): Promise<{ state: Documents | undefined; problems: string[] }> {
  const problems = await drain(engine);
  const stored = storedDocuments(engine.dataDir);
  const state = allowed.find((documents) => sameDocuments(documents, stored));
  if (!state) return { state, problems: [...problems, describeDifference(allowed[0] ?? new Map(), stored)] };
  for (const { word } of state.values()) {
    const found = await occurrences(engine, word);
    if (found !== 1) problems.push(`search finds ${word} in ${found} documents instead of 1`);
  }
  for (const word of absentWords.filter((each) => !state.has(each))) {
    if (await occurrences(engine, word) > 0) problems.push(`search finds ${word}, which is deleted`);
  }
  return { state, problems };
}

/** Returns what is wrong with the files of a closed engine without unfinished jobs. */
export function inspectFiles(dataDir: string): string[] {
  const problems: string[] = [];
  using db = new DatabaseSync(`${dataDir}/kb.db`);
  registerFunctions(db);
  const check = (sql: string) => {
    try {
      for (const row of db.prepare(sql).all()) {
        const value = Object.values(row).join(" ");
        if (value !== "ok") problems.push(`${sql}: ${value}`);
      }
    } catch (error) {
      problems.push(`${sql}: ${error}`);
    }
  };
  check("PRAGMA quick_check");
  check("PRAGMA foreign_key_check");
  check("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)");
  const spooled = [...Deno.readDirSync(`${dataDir}/spool`)];
  if (spooled.length > 0) problems.push(`the spool has ${spooled.length} files without a job`);
  return problems;
}

/** Maximum time until every job has ended, in milliseconds. */
const DRAIN_TIMEOUT_MS = 20_000;

async function drain(engine: EmbeddedEngine): Promise<string[]> {
  for (const deadline = performance.now() + DRAIN_TIMEOUT_MS;;) {
    const { status, body } = await engine.call("status");
    if (status !== 200) return [`status fails: ${JSON.stringify(body)}`];
    if (body.queue.queued + body.queue.processing === 0) break;
    if (performance.now() > deadline) return [`the queue does not drain: ${JSON.stringify(body.queue)}`];
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { body } = await engine.call("listJobs", { query: { status: "failed", limit: "5" } });
  return body.jobs.map((job: { error: string }) => `a job has failed: ${job.error}`);
}

/** Stored documents as lines of hash and tags, sorted. A duplicate is a line more. */
function storedDocuments(dataDir: string): string[] {
  using db = new DatabaseSync(`${dataDir}/kb.db`, { readOnly: true });
  return db.prepare(`
    SELECT content_hash || ' ' || coalesce((SELECT group_concat(name, ',' ORDER BY name) FROM document_tags
             JOIN tags ON tags.id = tag_id WHERE document_id = documents.id), '') AS line
      FROM documents ORDER BY line`).all().map(({ line }) => String(line));
}

function expectedLines(documents: Documents): string[] {
  return [...documents.values()]
    .map(({ text, tags }) => `${createHash("sha256").update(text).digest("hex")} ${tags.toSorted().join()}`)
    .sort();
}

function sameDocuments(documents: Documents, stored: readonly string[]): boolean {
  return expectedLines(documents).join("\n") === stored.join("\n");
}

function describeDifference(documents: Documents, stored: readonly string[]): string {
  const expected = expectedLines(documents);
  const missing = expected.filter((line) => !stored.includes(line));
  const surplus = stored.filter((line, index) => !expected.includes(line) || stored[index - 1] === line);
  return `stored documents differ: ${missing.length} missing, ${surplus.length} surplus`;
}

/** Number of documents that contain a word verbatim. */
async function occurrences(engine: EmbeddedEngine, word: string): Promise<number> {
  const { status, body } = await engine.call("search", { body: { query: `"${word}"`, top: 5 } });
  if (status !== 200) return NaN;
  // A quoted word that no document has is only preferred, so that others may be found instead.
  const found = (body.results as { document_id: number; text: string }[]).filter(({ text }) =>
    text.includes(word)
  );
  return new Set(found.map(({ document_id }) => document_id)).size;
}

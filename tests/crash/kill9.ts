// deno-lint-ignore-file no-console -- a script that prints its report
/**
 * Kills the engine with SIGKILL at random points of ingestion, edits and embedding, repeatedly on the same data. Checks
 * that every accepted job is done exactly once, that no acknowledged edit is lost or made twice, that every chunk gets
 * its vector, that no spooled file remains, and, after each kill, everything that `kb-mcp check` checks.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { EngineClient, EngineError } from "../../src/client/mod.ts";
import type { Id } from "../../src/contract/mod.ts";
import { checkData } from "../../src/engine/sqlite/recovery/mod.ts";
import { type StoredText, textOf } from "../../src/engine/sqlite/store/mod.ts";
import { type Program, startProgram } from "../support/program.ts";
import { TestEmbedder } from "../support/test_embedder.ts";

/** Result of {@linkcode killRepeatedly}. */
export interface CrashReport {
  readonly kills: number;
  /** Number of jobs that the engine accepted. */
  readonly accepted: number;
  /** Accepted jobs that are not `done`, with their status. */
  readonly unfinished: string[];
  /** Accepted texts that are not in exactly one document. */
  readonly notOnce: string[];
  /** Number of acknowledged edits. */
  readonly edits: number;
  /** Notes whose number of edits is not that of the acknowledged ones, or one more for each kill. */
  readonly lostEdits: string[];
  /** What `kb-mcp check` reports after a kill or at the end, and files that are still spooled after all jobs. */
  readonly damage: string[];
}

/** Options of {@linkcode killRepeatedly}. */
export interface CrashOptions {
  readonly kills: number;
  /** Number of clients that add documents at the same time. */
  readonly senders: number;
  /** Number of clients that edit a note each. */
  readonly editors: number;
  /** Maximum number of jobs accepted in a round before the kill. */
  readonly maxAccepted: number;
  /** Maximum delay between the last of them and the kill, in milliseconds. */
  readonly maxDelayMs: number;
  readonly random: () => number;
}

/** What clients know when the engine is killed. */
interface Acknowledged {
  /** Ids of accepted jobs by the marker in their text. */
  readonly jobs: Map<string, Id>;
  /** Edited notes. */
  readonly notes: EditedNote[];
}

/** A note that one client appends lines to. */
interface EditedNote {
  readonly id: Id;
  acknowledged: number;
  /** Number of edits whose response was lost. */
  unknown: number;
}

/** Starts and kills the engine `kills` times on a temporary data directory, then inspects the data. */
export async function killRepeatedly(options: CrashOptions): Promise<CrashReport> {
  await using embedder = await TestEmbedder.start();
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-crash-" });
  const env = {
    KB_DATA_DIR: dataDir,
    KB_EMBEDDINGS_URL: embedder.url,
    KB_EMBEDDINGS_MODEL: "test-model",
    KB_KEPT_JOBS: "1000000",
  };
  try {
    const acknowledged: Acknowledged = { jobs: new Map(), notes: [] };
    const damage: string[] = [];
    for (let round = 0; round < options.kills; round++) {
      await runAndKill(env, round, acknowledged, options);
      damage.push(...damagedParts(dataDir).map((part) => `after kill ${round + 1}: ${part}`));
    }
    const { unfinished, lostEdits } = await finish(env, acknowledged);
    damage.push(...await spooledFiles(dataDir));
    return {
      kills: options.kills,
      accepted: acknowledged.jobs.size,
      unfinished,
      notOnce: notOnce(dataDir, acknowledged.jobs.keys()),
      edits: acknowledged.notes.reduce((sum, note) => sum + note.acknowledged, 0),
      lostEdits,
      damage: [...damage, ...damagedParts(dataDir)],
    };
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

async function runAndKill(
  env: Record<string, string>,
  round: number,
  { jobs, notes }: Acknowledged,
  { senders, editors, maxAccepted, maxDelayMs, random }: CrashOptions,
): Promise<void> {
  await using engine = await startProgram(["engine"], env);
  const client = new EngineClient({ baseUrl: engine.url });
  while (notes.length < editors) {
    const { job_id } = await client.addNote({ text: `Edited ${notes.length}`, tags: ["crash"] });
    const { document_id } = await client.waitForJob(job_id, { timeoutMs: 60_000 });
    notes.push({ id: document_id!, acknowledged: 0, unknown: 0 });
  }
  let untilKill = 1 + Math.floor(random() * maxAccepted);
  const onAccepted = (marker: string, id: Id) => {
    jobs.set(marker, id);
    if (--untilKill === 0) setTimeout(() => engine.child.kill("SIGKILL"), random() * maxDelayMs);
  };
  const sending = Array.from(
    { length: senders },
    (_, sender) => sendUntilDead(engine, `r${round}s${sender}`, onAccepted),
  );
  await Promise.all([...sending, ...notes.map((note) => editUntilDead(client, note))]);
}

/** Appends lines to a note until the engine is killed. */
async function editUntilDead(client: EngineClient, note: EditedNote): Promise<void> {
  for (;;) {
    try {
      await client.editDocument(note.id, { append: "line" });
      note.acknowledged++;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.code === "outcome_unknown") note.unknown++;
      return;
    }
  }
}

/** Sends notes and files with distinct texts until the engine is killed. */
async function sendUntilDead(
  engine: Program,
  prefix: string,
  onAccepted: (marker: string, id: Id) => void,
): Promise<void> {
  const client = new EngineClient({ baseUrl: engine.url });
  for (let n = 0;; n++) {
    const marker = `marker${prefix}n${n}`;
    const text = `# ${marker}\n\n${"Some words to be chunked and indexed. ".repeat(1 + (n % 7) * 40)}`;
    try {
      const { job_id } = n % 3 === 0
        // Small Markdown is stored when it is sent, and reStructuredText is queued.
        ? await client.addFile({
          filename: `${marker}.${n % 2 === 0 ? "md" : "rst"}`,
          ...streamOf(text),
          tags: ["crash"],
        })
        : await client.addNote({ text, tags: ["crash"] });
      onAccepted(marker, job_id);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return;
    }
  }
}

function streamOf(text: string) {
  const bytes = new TextEncoder().encode(text);
  return { size: bytes.byteLength, open: () => ReadableStream.from([bytes]) };
}

/** Waits until the engine has finished the accepted jobs and their vectors, then stops it. */
async function finish(
  env: Record<string, string>,
  { jobs, notes }: Acknowledged,
): Promise<Pick<CrashReport, "unfinished" | "lostEdits">> {
  await using engine = await startProgram(["engine"], env);
  const client = new EngineClient({ baseUrl: engine.url });
  const unfinished: string[] = [];
  for (const [marker, id] of jobs) {
    const job = await client.waitForJob(id, { timeoutMs: 120_000 });
    if (job.status !== "done") unfinished.push(`${marker}: ${job.status} ${job.error ?? ""}`);
  }
  const lostEdits: string[] = [];
  for (const { id, acknowledged, unknown } of notes) {
    const { version } = await client.document(id, { chunks: false });
    const edits = version! - 1;
    if (edits < acknowledged || edits > acknowledged + unknown) {
      lostEdits.push(`note ${id}: ${edits} edits, ${acknowledged} acknowledged, ${unknown} unknown`);
    }
  }
  await idle(client);
  engine.child.kill("SIGTERM");
  await engine.child.status;
  return { unfinished, lostEdits };
}

/**
 * Waits until no job is unfinished, which includes accepted jobs whose response was lost, and every chunk has a vector.
 */
async function idle(client: EngineClient): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const { vectors, queue } = await client.status();
    const isQueueEmpty = queue?.["queued"] === 0 && queue["processing"] === 0;
    if (isQueueEmpty && vectors && vectors.embedded === vectors.total) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("Jobs remain unfinished, or chunks without a vector");
}

function damagedParts(dataDir: string): string[] {
  return checkData(dataDir).parts.filter(({ state }) => state === "damaged")
    .map(({ name, message }) => `${name}: ${message}`);
}

/** Describes the files in the spool, with the status of their jobs. */
async function spooledFiles(dataDir: string): Promise<string[]> {
  using db = new DatabaseSync(join(dataDir, "kb.db"));
  const job = db.prepare("SELECT status FROM jobs WHERE spool_file = ?");
  const entries = await Array.fromAsync(Deno.readDir(join(dataDir, "spool")));
  return entries.map(({ name }) =>
    `spooled file ${name} of a job that is ${job.get(name)?.["status"] ?? "missing"}`
  );
}

function notOnce(dataDir: string, markers: Iterable<string>): string[] {
  using db = new DatabaseSync(join(dataDir, "kb.db"));
  const documents = new Map<string, Set<unknown>>();
  for (const { text, document_id } of db.prepare("SELECT text, document_id FROM chunks").iterate()) {
    const marker = /^# (\S+)\n/.exec(textOf(db, text as StoredText))?.[1];
    if (marker === undefined) continue;
    if (!documents.has(marker)) documents.set(marker, new Set());
    documents.get(marker)!.add(document_id);
  }
  return [...markers].flatMap((marker) => {
    const n = documents.get(marker)?.size ?? 0;
    return n === 1 ? [] : [`${marker}: in ${n} documents`];
  });
}

if (import.meta.main) {
  const report = await killRepeatedly({
    kills: 50,
    senders: 32,
    editors: 4,
    maxAccepted: 1000,
    maxDelayMs: 150,
    random: Math.random,
  });
  console.log(report);
  const { unfinished, notOnce, lostEdits, damage } = report;
  const good = report.accepted > 0 && report.edits > 0 &&
    [...unfinished, ...notOnce, ...lostEdits, ...damage].length === 0;
  console.log(good ? "Every accepted job is done exactly once." : "DATA WAS LOST OR DUPLICATED.");
  Deno.exit(good ? 0 : 1);
}

// deno-lint-ignore-file no-console -- a script that prints its report
/**
 * Kills the engine with SIGKILL at random points of ingestion, repeatedly on the same data, then checks that
 * every accepted job is done exactly once and that the database is intact.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import { EngineClient, EngineError } from "../../src/client/mod.ts";
import type { Id } from "../../src/contract/mod.ts";
import { type Program, startProgram } from "../support/program.ts";
import { registerFunctions } from "../../src/engine/sqlite/store/mod.ts";

/** Result of {@linkcode killRepeatedly}. */
export interface CrashReport {
  readonly kills: number;
  /** Number of jobs that the engine accepted. */
  readonly accepted: number;
  /** Accepted jobs that are not `done`, with their status. */
  readonly unfinished: string[];
  /** Accepted texts that are not in exactly one document. */
  readonly notOnce: string[];
  /** Errors of `PRAGMA integrity_check` and of the FTS5 integrity check. */
  readonly damage: string[];
}

/** Options of {@linkcode killRepeatedly}. */
export interface CrashOptions {
  readonly kills: number;
  /** Maximum number of jobs accepted in a round before the kill. */
  readonly maxAccepted: number;
  /** Maximum delay between the last of them and the kill, in milliseconds. */
  readonly maxDelayMs: number;
  readonly random: () => number;
}

/** Starts and kills the engine `kills` times on a temporary data directory, then inspects the data. */
export async function killRepeatedly(options: CrashOptions): Promise<CrashReport> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-crash-" });
  try {
    const accepted = new Map<string, Id>();
    for (let round = 0; round < options.kills; round++) await runAndKill(dataDir, round, accepted, options);
    const unfinished = await finish(dataDir, accepted);
    return {
      kills: options.kills,
      accepted: accepted.size,
      unfinished,
      ...inspect(dataDir, accepted.keys()),
    };
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

async function runAndKill(
  dataDir: string,
  round: number,
  accepted: Map<string, Id>,
  { maxAccepted, maxDelayMs, random }: CrashOptions,
): Promise<void> {
  await using engine = await startProgram(["engine"], { KB_DATA_DIR: dataDir });
  let untilKill = 1 + Math.floor(random() * maxAccepted);
  const onAccepted = (marker: string, id: Id) => {
    accepted.set(marker, id);
    if (--untilKill === 0) setTimeout(() => engine.child.kill("SIGKILL"), random() * maxDelayMs);
  };
  await Promise.all([0, 1, 2, 3].map((sender) => sendUntilDead(engine, `r${round}s${sender}`, onAccepted)));
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
        ? await client.addFile({ filename: `${marker}.md`, ...streamOf(text), tags: ["crash"] })
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

/** Waits until the engine has finished the accepted jobs, then stops it. */
async function finish(dataDir: string, accepted: ReadonlyMap<string, Id>): Promise<string[]> {
  await using engine = await startProgram(["engine"], { KB_DATA_DIR: dataDir });
  const client = new EngineClient({ baseUrl: engine.url });
  const unfinished: string[] = [];
  for (const [marker, id] of accepted) {
    const job = await client.waitForJob(id, { timeoutMs: 120_000 });
    if (job.status !== "done") unfinished.push(`${marker}: ${job.status} ${job.error ?? ""}`);
  }
  engine.child.kill("SIGTERM");
  await engine.child.status;
  return unfinished;
}

function inspect(dataDir: string, markers: Iterable<string>): Pick<CrashReport, "notOnce" | "damage"> {
  using db = new DatabaseSync(`${dataDir}/kb.db`);
  registerFunctions(db);
  const damage: string[] = [];
  for (const row of db.prepare("PRAGMA integrity_check").all()) {
    const verdict = String(row["integrity_check"]);
    if (verdict !== "ok") damage.push(verdict);
  }
  try {
    db.exec("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)");
  } catch (error) {
    damage.push(String(error));
  }
  const documents = db.prepare("SELECT count(DISTINCT document_id) AS n FROM chunks WHERE text LIKE ?");
  const notOnce = [...markers].flatMap((marker) => {
    const n = Number(documents.get(`# ${marker}\n%`)?.["n"]);
    return n === 1 ? [] : [`${marker}: in ${n} documents`];
  });
  return { notOnce, damage };
}

if (import.meta.main) {
  const report = await killRepeatedly({
    kills: 50,
    maxAccepted: 100,
    maxDelayMs: 150,
    random: Math.random,
  });
  console.log(report);
  const good = report.accepted > 0 &&
    report.unfinished.length + report.notOnce.length + report.damage.length === 0;
  console.log(good ? "Every accepted job is done exactly once." : "DATA WAS LOST OR DUPLICATED.");
  Deno.exit(good ? 0 : 1);
}

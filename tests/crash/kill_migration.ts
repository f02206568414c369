// deno-lint-ignore-file no-console -- a script that prints its report
/**
 * Kills the engine with SIGKILL while it migrates a database of an older version, repeatedly, and while clients add
 * notes as soon as it is ready. Then checks that the migration completes, that no document is lost, and everything that
 * `kb-mcp check` checks.
 *
 * `deno run -A tests/crash/kill_migration.ts`; `--data DIR` migrates a copy of a data directory.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { EngineClient, EngineError } from "../../src/client/mod.ts";
import type { Id } from "../../src/contract/mod.ts";
import { checkData } from "../../src/engine/sqlite/recovery/mod.ts";
import { document } from "../faults/model.ts";
import { createOldDatabase } from "../faults/procedures.ts";
import { programCommand, startProgram } from "../support/program.ts";

/** Options of {@linkcode killDuringMigration}. */
export interface MigrationOptions {
  readonly kills: number;
  /** Fills an empty data directory with data of an older version. */
  readonly prepare: (dataDir: string) => Promise<unknown>;
  /** Maximum time between the start of the engine and the kill, in milliseconds. */
  readonly maxDelayMs: number;
  readonly random: () => number;
}

/** Result of {@linkcode killDuringMigration}. */
export interface MigrationReport {
  /** Number of starts that were killed before the engine was ready. */
  readonly killedBeforeReady: number;
  /** Number of notes that were accepted meanwhile. */
  readonly accepted: number;
  /** Accepted notes that are not `done`, and differences of the counts. */
  readonly lost: string[];
  /** What `kb-mcp check` reports at the end. */
  readonly damage: string[];
}

/** Starts and kills the engine repeatedly on data of an older version, then inspects the data. */
export async function killDuringMigration(options: MigrationOptions): Promise<MigrationReport> {
  const { kills, prepare, maxDelayMs, random } = options;
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-migration-" });
  try {
    await prepare(dataDir);
    const before = countDocuments(dataDir);
    const notes: Notes = { accepted: [], unknown: 0 };
    let killedBeforeReady = 0;
    for (let n = 0; n < kills; n++) {
      const wasReady = await startAndKill(dataDir, random() * maxDelayMs, notes);
      if (!wasReady) killedBeforeReady++;
    }
    const { accepted, unknown } = notes;
    const lost = await finish(dataDir, accepted);
    const added = countDocuments(dataDir) - before;
    if (added < accepted.length || added > accepted.length + unknown) {
      lost.push(`${added} documents added: ${accepted.length} notes accepted, ${unknown} unknown`);
    }
    const damage = checkData(dataDir).parts.filter(({ state }) => state === "damaged")
      .map(({ name, message }) => `${name}: ${message}`);
    return { killedBeforeReady, accepted: accepted.length, lost, damage };
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

/** Notes that a client has added. */
interface Notes {
  /** Jobs that the engine accepted. */
  readonly accepted: Id[];
  /** Number of notes whose response was lost. */
  unknown: number;
}

/** Returns whether the engine was ready when it was killed. */
async function startAndKill(dataDir: string, delayMs: number, notes: Notes): Promise<boolean> {
  const child = programCommand(["engine"], { KB_DATA_DIR: dataDir }).spawn();
  const stderr = new Response(child.stderr).text();
  setTimeout(() => child.kill("SIGKILL"), delayMs);
  let output = "";
  let adding: Promise<void> | undefined;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    const url = /is ready at (http:\/\/[^\s/]+)/.exec(output)?.[1];
    if (url !== undefined) adding ??= addUntilDead(url, notes);
  }
  const { signal } = await child.status;
  await adding;
  if (signal !== "SIGKILL") throw new Error(`The engine ended by itself: ${await stderr}`);
  await stderr;
  return adding !== undefined;
}

async function addUntilDead(url: string, notes: Notes): Promise<void> {
  const client = new EngineClient({ baseUrl: url });
  for (;;) {
    try {
      const { job_id } = await client.addNote({ text: `Note ${crypto.randomUUID()}`, tags: ["added"] });
      notes.accepted.push(job_id);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.code === "outcome_unknown") notes.unknown++;
      return;
    }
  }
}

/** Waits until the engine has finished the accepted jobs, and the migration in the background. Then stops it. */
async function finish(dataDir: string, accepted: readonly Id[]): Promise<string[]> {
  await using engine = await startProgram(["engine"], { KB_DATA_DIR: dataDir });
  const client = new EngineClient({ baseUrl: engine.url });
  const lost: string[] = [];
  for (const id of accepted) {
    const { status } = await client.waitForJob(id, { timeoutMs: 120_000 });
    if (status !== "done") lost.push(`job ${id}: ${status}`);
  }
  engine.child.kill("SIGTERM");
  await engine.child.status;
  return lost;
}

function countDocuments(dataDir: string): number {
  using db = new DatabaseSync(join(dataDir, "kb.db"));
  return Number(db.prepare("SELECT count(*) AS n FROM documents").get()?.["n"]);
}

/** Returns a function that fills a data directory with notes of an older version. */
export function oldNotes(count: number): MigrationOptions["prepare"] {
  const documents = Array.from({ length: count }, (_, n) => document(`word${n}x`));
  return (dataDir) => createOldDatabase(dataDir, documents);
}

async function copyOf(from: string, to: string): Promise<void> {
  await Deno.copyFile(join(from, "kb.db"), join(to, "kb.db"));
}

if (import.meta.main) {
  const { values: { data, kills, delay } } = parseArgs({
    options: {
      data: { type: "string" },
      kills: { type: "string", default: "30" },
      delay: { type: "string", default: "3000" },
    },
  });
  const report = await killDuringMigration({
    kills: Number(kills),
    prepare: data === undefined ? oldNotes(5000) : (dataDir) => copyOf(data, dataDir),
    maxDelayMs: Number(delay),
    random: Math.random,
  });
  console.log(report);
  const isGood = report.killedBeforeReady > 0 && [...report.lost, ...report.damage].length === 0;
  console.log(isGood ? "Nothing was lost." : "DATA WAS LOST OR DAMAGED.");
  Deno.exit(isGood ? 0 : 1);
}

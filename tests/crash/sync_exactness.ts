// deno-lint-ignore-file no-console -- a script that prints its report
/**
 * Changes a folder at random, synchronizes it, kills the engine with SIGKILL meanwhile, and checks that the documents
 * equal the folder: paths, contents, titles, tags and metadata, and nothing else.
 *
 * `deno task sync-exactness`, with `--operations N` and `--seed N` to repeat a run.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { join } from "node:path";
import { EngineClient, EngineError } from "../../src/client/mod.ts";
import type { Id } from "../../src/contract/mod.ts";
import { extract } from "../../src/extraction/mod.ts";
import { startProgram } from "../support/program.ts";
import { type Random, seededRandom } from "../support/random.ts";
import { FolderChanges } from "./folder_changes.ts";

/** A running engine. */
export interface RunningEngine {
  readonly client: EngineClient;
  /** Ends the engine as hard as it can be. */
  kill(): Promise<void>;
}

/** Options of {@linkcode checkExactness}. */
export interface ExactnessOptions {
  /** Number of changes to the folder. */
  readonly operations: number;
  /** Maximum number of changes between two synchronizations. */
  readonly burst: number;
  /** Maximum time between the start of a synchronization and a kill, in milliseconds. */
  readonly maxKillMs: number;
  readonly random: Random;
  /** Starts the engine with a folder as the source `docs`. */
  readonly start: (folder: string) => Promise<RunningEngine>;
}

/** Result of {@linkcode checkExactness}. */
export interface ExactnessReport {
  operations: number;
  kills: number;
  comparisons: number;
  /** Differences between the folder and the documents. */
  readonly differences: string[];
}

/** Changes a folder, and compares it with the documents after each synchronization that was not killed. */
export async function checkExactness(options: ExactnessOptions): Promise<ExactnessReport> {
  const { operations, burst, random, start, maxKillMs } = options;
  const folder = await Deno.makeTempDir({ prefix: "kb-mcp-sync-" });
  const changes = new FolderChanges(folder, random);
  await changes.start();
  const report: ExactnessReport = { operations: 0, kills: 0, comparisons: 0, differences: [] };
  const log: string[] = [];
  let engine = await start(folder);
  try {
    while (report.operations < operations && report.differences.length === 0) {
      const count = 1 + random.int(Math.min(burst, operations - report.operations));
      for (let n = 0; n < count; n++) log.push(await changes.change());
      report.operations += count;
      const mayKill = report.operations < operations && random.int(2) === 0;
      if (mayKill) {
        const synchronizing = synchronize(engine.client).catch(ignoreEngineError);
        await new Promise((resolve) => setTimeout(resolve, random.int(maxKillMs)));
        await engine.kill();
        await synchronizing;
        report.kills++;
        engine = await start(folder);
        continue;
      }
      await synchronize(engine.client);
      report.comparisons++;
      const [expected, actual] = [await expectedDocuments(folder), await storedDocuments(engine.client)];
      report.differences.push(...differences(expected, actual));
    }
    if (report.differences.length > 0) report.differences.push(...log.slice(-10));
    return report;
  } finally {
    await engine.kill();
    await Deno.remove(folder, { recursive: true });
  }
}

function ignoreEngineError(error: unknown): void {
  if (!(error instanceof EngineError)) throw error;
}

async function synchronize(client: EngineClient): Promise<void> {
  const id = await sourceId(client);
  let source = await client.syncSource(id, { wait_seconds: 50 });
  // Events of the file system may have started another one.
  while (source.state === "syncing") source = await client.syncSource(id, { wait_seconds: 50 });
  if (source.last_sync?.error) throw new Error(`The synchronization failed: ${source.last_sync.error}`);
}

async function sourceId(client: EngineClient): Promise<Id> {
  const source = (await client.sources()).find(({ name }) => name === "docs");
  if (!source) throw new Error("The engine must have a source");
  return source.source_id;
}

/** Describes the documents that a folder must have. */
async function expectedDocuments(root: string, folder = ""): Promise<Map<string, string>> {
  const documents = new Map<string, string>();
  for await (const { name, isDirectory } of Deno.readDir(join(root, folder))) {
    const path = join(folder, name);
    if (isDirectory) { for (const entry of await expectedDocuments(root, path)) documents.set(...entry); }
    if (isDirectory || !/\.(?:md|txt)$/.test(name)) continue;
    const bytes = await Deno.readFile(join(root, path));
    const hash = createHash("sha256").update(bytes).digest("hex");
    const extracted = await extract({ bytes, filename: name, contentType: undefined }).catch(() => undefined);
    if (!extracted) continue; // it has no text
    const { title, tags, metadata, docType } = extracted;
    const all = ["collection:documents", ...tags].sort();
    documents.set(`docs/${path}`, describe({ hash, title: title ?? name, tags: all, docType, metadata }));
  }
  return documents;
}

async function storedDocuments(client: EngineClient): Promise<Map<string, string>> {
  const documents = new Map<string, string>();
  let cursor: string | undefined;
  do {
    const page = await client.queryDocuments({ limit: 200, ...(cursor !== undefined && { cursor }) });
    for (const { document_id: id } of page.documents ?? []) {
      const { content_hash: hash, title, tags, doc_type: docType, metadata, source_path: path } = await client
        .document(id, { chunks: false });
      documents.set(path ?? "", describe({ hash, title, tags: tags.sort(), docType, metadata }));
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return documents;
}

function describe({ metadata, ...fields }: Record<string, unknown>): string {
  return JSON.stringify({ ...fields, metadata: metadata ?? null });
}

function differences(expected: ReadonlyMap<string, string>, actual: ReadonlyMap<string, string>): string[] {
  return [...new Set([...expected.keys(), ...actual.keys()])]
    .filter((path) => expected.get(path) !== actual.get(path))
    .map((path) => `${path}: expected ${expected.get(path)}, got ${actual.get(path)}`);
}

/** Returns a function that starts the program over one data directory. */
function programs(dataDir: string): (folder: string) => Promise<RunningEngine> {
  return async (folder) => {
    const program = await startProgram(["engine"], {
      KB_DATA_DIR: dataDir,
      KB_SOURCES: `${folder}:docs:watch`,
      KB_EMBEDDINGS_MODEL: "off",
    });
    return {
      client: new EngineClient({ baseUrl: program.url }),
      async kill() {
        program.child.kill("SIGKILL");
        await program[Symbol.asyncDispose]();
      },
    };
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      operations: { type: "string", default: "500" },
      seed: { type: "string", default: `${Date.now() % 1e6}` },
    },
  });
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-sync-data-" });
  console.log(`--operations ${values.operations} --seed ${values.seed}`);
  const report = await checkExactness({
    operations: Number(values.operations),
    burst: 8,
    maxKillMs: 400,
    random: seededRandom(Number(values.seed)),
    start: programs(dataDir),
  });
  await Deno.remove(dataDir, { recursive: true });
  console.log(report);
  console.log(report.differences.length === 0 ? "The documents equal the folder." : "THE DOCUMENTS DIFFER.");
  Deno.exit(report.differences.length === 0 ? 0 : 1);
}

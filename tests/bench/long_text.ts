// deno-lint-ignore-file no-console -- a script that prints its table
/**
 * Measures how long other writes wait while a long text is stored, replaced, deleted and restored.
 *
 *     deno run -A tests/bench/long_text.ts [CHARACTERS]
 *
 * The first row stores the text in one transaction, as short texts are stored.
 */
import { join } from "node:path";
import { FileWriter } from "../../src/engine/ingestion/file_writer.ts";
import { ingestionQueue } from "../../src/engine/sqlite/sqlite_knowledge_base.ts";
import { changeWithText } from "../../src/engine/sqlite/stage_text.ts";
import { dataDirAt, longVersion, openForReading, readSlice } from "../../src/engine/sqlite/store/mod.ts";
import { Writer } from "../../src/engine/sqlite/writer/mod.ts";
import { spawnWriter } from "../../src/engine/worker.ts";
import { type ChunkDraft, chunkText } from "../../src/extraction/mod.ts";

const CHUNK = { maxTokens: 320, overlapTokens: 48 };
const [characters = "16000000"] = Deno.args;

const source = await Deno.readTextFile(new URL("../../docs/search.md", import.meta.url));
const words = source.split(/\s+/);

/** Returns the chunks of a text, which differs between seeds. */
function chunksOf(seed: number): ChunkDraft[] {
  const lines: string[] = [];
  for (let chars = 0, n = seed; chars < Number(characters); n++) {
    const line = Array.from({ length: 12 }, (_, i) => words[(n * 31 + i * 17 + (n >> 5)) % words.length])
      .join(" ");
    lines.push(`${n} ${line}`);
    chars += lines.at(-1)!.length + 1;
  }
  return chunkText({ text: lines.join("\n"), markup: "plain", pageStarts: undefined }, CHUNK);
}

const dataDir = await Deno.makeTempDir();
await using cleanup = new AsyncDisposableStack();
cleanup.defer(() => Deno.remove(dataDir, { recursive: true }));
const writer = cleanup.use(
  await Writer.start({ dataDir, chunk: CHUNK, maxQueuedJobs: 1e6, spawn: spawnWriter }),
);
const write: Writer["call"] = (operation, ...args) => writer.call(operation, ...args);
using db = openForReading(dataDirAt(dataDir));
const queue = ingestionQueue({ write, read: (work) => Promise.try(work, db) });

let files = 0;

/** Queues and claims a file. Returns the id of its job. */
async function claim(sourcePath: string): Promise<number> {
  const spoolFile = `file${files++}`;
  await write("createJob", { spoolFile, sourcePath, contentHash: spoolFile, sizeBytes: 1, tags: [] });
  return (await write("claimFiles"))[0]?.jobId ?? NaN;
}

/** Measures the waits of notes that are stored one after the other during some work. */
async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  const waits: number[] = [];
  const startedAt = performance.now();
  let end = 0;
  const done = work().finally(() => end = performance.now());
  while (end === 0 || waits.length < 100) {
    const before = performance.now();
    const text = `note ${files++}`;
    await write("createJob", { text, contentHash: text, sizeBytes: text.length, tags: [] });
    waits.push(performance.now() - before);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await done;
  waits.sort((a, b) => a - b);
  const ms = (value = 0) => value.toFixed(0).padStart(7);
  console.log(
    `${name.padEnd(28)} ${ms(end - startedAt)} ${ms(waits[waits.length >> 1])} ${
      ms(waits[Math.floor(waits.length * 0.99)])
    } ${ms(waits.at(-1))}`,
  );
}

const store = (sourcePath: string, chunks: readonly ChunkDraft[]) => async () => {
  const file = new FileWriter(queue, await claim(sourcePath));
  for (let at = 0; at < chunks.length; at += 100) await file.add(chunks.slice(at, at + 100));
  await file.finish({ docType: "text", tags: [] });
};

const [first, second] = [chunksOf(1), chunksOf(500_000)];
console.log(`${characters} characters in ${first.length} chunks; ${join(dataDir, "kb.db")}`);
console.log(`${"".padEnd(28)}   total wait:p50     p99     max  (ms)`);
await measure("stored in one transaction", async () => {
  await queue.finishFile({ jobId: await claim("a"), docType: "text", tags: [], chunks: first });
});
await measure("stored in slices", store("b", first));
await measure("replaced", store("b", second));
const id = Number(db.prepare("SELECT id FROM documents WHERE source_path = 'b'").get()?.id);
await measure("deleted", () => write("deleteDocument", id));
await measure("restored", async () => {
  const long = longVersion(db, id);
  if (!long) throw new Error("The text must be long");
  const { version, title } = long;
  const read = (from: number, limit: number) => readSlice(db, { documentId: id, version, from, limit });
  await changeWithText(
    write,
    { title, read },
    (contentId) => write("restoreDocument", id, {}, { staged: { version, contentId } }),
  );
});

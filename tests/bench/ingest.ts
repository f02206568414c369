// deno-lint-ignore-file no-console -- a script that prints its table
/**
 * Measures ingestion in the embedded engine, from the request to the searchable document: short notes per
 * second, each acknowledged after it is synced to disk, and megabytes of PDF per minute.
 *
 * @module
 */
import { testDataFolder } from "../../scripts/test_data.ts";
import { EngineClient } from "../../src/client/mod.ts";
import type { Id } from "../../src/contract/mod.ts";
import { Engine } from "../../src/engine/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { samplePdf } from "../support/samples.ts";

const NOTES = 10_000;
const SENDERS = 64;
const PDF_BYTES = 20 * 2 ** 20;
/** PDFs with a text layer in `KB_TEST_DATA`; generated ones are used without it. */
const PDFS = ["test.pdf", "REPAIR-2022-INV-001_multipage.pdf", "SPARSE-2024-INV-1234_borderless_table.pdf"];

/** Measures both, on a temporary data directory, and prints a table. */
export async function benchIngest(): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-bench-" });
  try {
    await using engine = await Engine.open({
      dataDir,
      maxFileBytes: 2 ** 28,
      maxQueuedJobs: 100_000,
      extractTimeoutMs: 300_000,
      extractMemoryBytes: 2 ** 30,
      bodyTimeoutMs: 30_000,
      chunk: { maxTokens: 320, overlapTokens: 48 },
      vectorMemoryBytes: 2 ** 29,
      log: silentLogger,
    });
    const client = new EngineClient({
      baseUrl: "http://embedded",
      fetch: (request) => engine.fetch(request),
      timeoutMs: 300_000,
    });
    await notes(client, 1000); // warm-up
    const { accepted, done } = await notes(client, NOTES);
    console.log(`\n${NOTES} short notes, ${SENDERS} senders`);
    console.log(`  accepted (synced to disk)  ${(NOTES / accepted).toFixed(0).padStart(8)} notes/s`);
    console.log(`  done (searchable)          ${(NOTES / done).toFixed(0).padStart(8)} notes/s`);
    const { bytes, seconds, files } = await pdfs(client);
    const megabytes = bytes / 1e6;
    console.log(`\n${files} PDFs, ${megabytes.toFixed(1)} MB`);
    console.log(`  done (searchable)          ${(megabytes / (seconds / 60)).toFixed(0).padStart(8)} MB/min`);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

let noteNumber = 0;

async function notes(client: EngineClient, count: number): Promise<{ accepted: number; done: number }> {
  const started = performance.now();
  const end = noteNumber + count;
  let last: Id = 0;
  await Promise.all(Array.from({ length: SENDERS }, async () => {
    while (noteNumber < end) {
      const n = noteNumber++;
      const text = `Note ${n}: the user prefers option ${n % 97} over option ${
        n % 89
      } when it rains in town ${n % 83}.`;
      last = (await client.addNote({ text, tags: ["collection:memory", `bench-${n % 10}`] })).job_id;
    }
  }));
  const accepted = (performance.now() - started) / 1000;
  await allDone(client, last);
  return { accepted, done: (performance.now() - started) / 1000 };
}

async function pdfs(client: EngineClient): Promise<{ bytes: number; seconds: number; files: number }> {
  const samples = await readPdfs();
  const started = performance.now();
  let bytes = 0;
  let files = 0;
  let last: Id = 0;
  for (; bytes < PDF_BYTES; files++) {
    // A trailing comment makes each copy distinct and is valid PDF.
    const file = concat(samples[files % samples.length] ?? new Uint8Array(), `\n% copy ${files}\n`);
    bytes += file.byteLength;
    const open = () => ReadableStream.from([file]);
    last = (await client.addFile({ filename: `bench-${files}.pdf`, size: file.byteLength, open, tags: [] }))
      .job_id;
  }
  await allDone(client, last);
  return { bytes, seconds: (performance.now() - started) / 1000, files };
}

/** Waits until all jobs are done; throws if one has failed. */
async function allDone(client: EngineClient, last: Id): Promise<void> {
  const job = await client.waitForJob(last, { timeoutMs: 300_000 });
  if (job.status !== "done") throw new Error(`The last job is ${job.status}: ${job.error}`);
  for (const status of ["queued", "processing"] as const) {
    while ((await client.jobs({ status, limit: 1 })).jobs.length > 0) {
      await new Promise((r) => setTimeout(r, 5));
    }
  }
  const failed = await client.jobs({ status: "failed", limit: 1 });
  if (failed.jobs.length > 0) throw new Error(`A job failed: ${failed.jobs[0]?.error}`);
}

async function readPdfs(): Promise<Uint8Array[]> {
  const folder = testDataFolder();
  if (folder !== undefined) {
    return await Promise.all(PDFS.map((name) => Deno.readFile(`${folder}/files/${name}`)));
  }
  const page = (n: number) => `Page ${n}. ${"The quick brown fox jumps over the lazy dog. ".repeat(40)}`;
  return [samplePdf(Array.from({ length: 50 }, (_, n) => page(n)))];
}

function concat(bytes: Uint8Array, text: string): Uint8Array {
  return new Uint8Array([...bytes, ...new TextEncoder().encode(text)]);
}

if (import.meta.main) await benchIngest();

// deno-lint-ignore-file no-console -- prints a table
/**
 * Searches and writes in parallel for minutes, and prints memory, descriptors, latencies and errors over time.
 * Linux only. Option: `--minutes N`.
 *
 * @module
 */
import { startProgram } from "../support/program.ts";
import { syntheticText } from "./corpus.ts";
import { quantile, residentMiB } from "./measure.ts";

const SEARCHES = 200;
const WRITERS = 20;
const DEFAULT_MINUTES = 10;
/** Number of distinct searches. */
const QUESTIONS = 5000;
/** Number of reports in a run. */
const REPORTS = 10;
/** Notes of each writer; further writes change, tag and delete them. */
const NOTES_PER_WRITER = 100;
/** Delay of a writer between two writes, in milliseconds. */
const WRITE_DELAY_MS = 20;

/** Latencies of one kind of request since the last report, in milliseconds. */
interface Latencies {
  readonly search: number[];
  readonly write: number[];
}

async function soak(minutes: number): Promise<boolean> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-soak-" });
  try {
    await using server = await startProgram(["engine"], { KB_DATA_DIR: dataDir });
    const text = syntheticText(1);
    const questions = Array.from({ length: QUESTIONS }, text.question);
    const documents = text.documents(Infinity);
    const end = performance.now() + minutes * 60_000;
    const hasEnded = () => Promise.race([server.child.status.then(() => true), delay(100).then(() => false)]);
    const errors = new Map<string, number>();
    const latencies: Latencies = { search: [], write: [] };
    const send = async (kind: keyof Latencies, method: string, path: string, body: unknown) => {
      const fail = (reason: unknown) => {
        const error = `${method} ${path.replace(/\d+/, "ID")}: ${reason}`;
        errors.set(error, (errors.get(error) ?? 0) + 1);
      };
      const started = performance.now();
      const json = { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
      try {
        const init = body instanceof FormData ? { body } : json;
        const response = await fetch(`${server.url}/api/v1${path}`, { method, ...init });
        const text = await response.text();
        latencies[kind].push(performance.now() - started);
        if (response.ok) return JSON.parse(text);
        fail(response.status);
      } catch (error) {
        fail(error instanceof Error && error.cause instanceof Error ? "connection lost" : error);
        if (await hasEnded()) throw error;
      }
    };

    const search = async (first: number) => {
      for (let n = first; performance.now() < end; n += SEARCHES) {
        await send("search", "POST", "/search", { query: questions[n % questions.length] });
      }
    };
    const write = async (writer: number) => {
      for (let n = 0; performance.now() < end; n++) {
        const note = `Note ${n} of ${writer}\n\n${[...takeText(documents)].join("\n\n")}`;
        const form = new FormData();
        form.append("text", note);
        form.append("source_path", `soak/${writer}/${n % NOTES_PER_WRITER}`);
        const job = await send("write", "POST", "/jobs", form);
        const id = job && await documentOf(server.url, job.job_id);
        if (id && n % 3 === 1) {
          await send("write", "POST", `/documents/${id}/tags`, { remove: [], add: [`w${writer}`] });
        }
        if (id && n % 7 === 6) await send("write", "DELETE", `/documents/${id}`, {});
        await delay(WRITE_DELAY_MS);
      }
    };

    console.log("minute   RSS MiB   fds   searches   p50 ms   p99 ms   writes   p50 ms   p99 ms   errors");
    const report = async (minute: number) => {
      const { search, write } = latencies;
      const columns = [
        minute.toFixed(1).padStart(6),
        (await residentMiB(server.child.pid)).toFixed(0).padStart(9),
        String((await Array.fromAsync(Deno.readDir(`/proc/${server.child.pid}/fd`))).length).padStart(5),
        String(search.length).padStart(10),
        ...[0.5, 0.99].map((fraction) => quantile(search, fraction).toFixed(1).padStart(8)),
        String(write.length).padStart(8),
        ...[0.5, 0.99].map((fraction) => quantile(write, fraction).toFixed(1).padStart(8)),
        String(errors.values().reduce((sum, n) => sum + n, 0)).padStart(8),
      ];
      console.log(columns.join(" "));
      search.length = write.length = 0;
    };
    const load = Promise.all([
      ...Array.from({ length: SEARCHES }, (_, n) => search(n)),
      ...Array.from({ length: WRITERS }, (_, n) => write(n)),
    ]);
    for (let step = 1; step <= REPORTS; step++) {
      await delay(minutes * 60_000 / REPORTS);
      await report(minutes * step / REPORTS);
    }
    await load;
    await delay(60_000);
    console.log("a minute later:");
    await report(minutes + 1);
    for (const [error, n] of errors) console.log(`${n} × ${error}`);
    return errors.size === 0;
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function* takeText(documents: ReturnType<ReturnType<typeof syntheticText>["documents"]>): Generator<string> {
  const { value } = documents.next();
  for (const chunk of value?.chunks.slice(0, 2) ?? []) yield typeof chunk === "string" ? chunk : chunk.text;
}

/** Waits for a job. Returns the id of its document; undefined if it was replaced by a later job. */
async function documentOf(url: string, jobId: number): Promise<number | undefined> {
  for (;;) {
    const response = await fetch(`${url}/api/v1/jobs/${jobId}`);
    const { status, document_id } = await response.json();
    if (status !== "queued" && status !== "processing") return document_id ?? undefined;
    await delay(10);
  }
}

if (Deno.build.os === "linux") {
  const at = Deno.args.indexOf("--minutes");
  const isClean = await soak(at < 0 ? DEFAULT_MINUTES : Number(Deno.args[at + 1]));
  Deno.exit(isClean ? 0 : 1);
} else console.log("skipped: reading a process's resident memory requires Linux");

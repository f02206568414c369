/**
 * Resident memory after loads that the program handles or refuses. Memory that stays is memory that the next
 * load adds to.
 *
 * @module
 */
import type { ServerProcess } from "../../scripts/server_process.ts";
import { samplePdf } from "../support/samples.ts";
import type { Attack, Check } from "./attack.ts";
import { api, ingestFile, submitFile, submitNote } from "./engine_requests.ts";
import { eventually } from "./eventually.ts";
import { MemoryWatch, residentMiB } from "./process_tree.ts";
import { callTool, exchange, mcpRequest } from "./requests.ts";

const MiB = 2 ** 20;
/** Resident memory at the end of a load, in MiB, with two extraction processes of 100 MiB each. */
const MAX_AFTER_MIB = 500;
/** Resident memory a minute later, in MiB. */
const MAX_SETTLED_MIB = 250;

/** Runs a load and checks the memory of the program during the minute after it. */
async function afterLoad(server: ServerProcess, load: () => Promise<string>): Promise<string> {
  const idle = await residentMiB(server.pid);
  const watch = new MemoryWatch(server.pid);
  const result = await load().finally(() => watch[Symbol.asyncDispose]());
  const after = await residentMiB(server.pid);
  const figures = `${result}; RSS idle ${idle.toFixed(0)}, peak ${watch.peakMiB.toFixed(0)}, after ${
    after.toFixed(0)
  } MiB`;
  if (after > MAX_AFTER_MIB) {
    throw new Error(`RSS must be at most ${MAX_AFTER_MIB} MiB after the load: ${figures}`);
  }
  const settled = await eventually(() => residentMiB(server.pid), (now) => now < MAX_SETTLED_MIB, {
    timeoutMs: 60_000,
    description: `${figures}; below ${MAX_SETTLED_MIB} MiB`,
  });
  return `${figures}, settled ${settled.toFixed(0)} MiB`;
}

/** Waits until no job is queued or running. */
async function drainQueue(server: ServerProcess): Promise<void> {
  await eventually(
    async () => {
      const { body } = await api(server, "/status");
      return body.queue.queued + body.queue.processing;
    },
    (pending) => pending === 0,
    { timeoutMs: 300_000, description: "an empty queue" },
  );
}

/** Calls a function for 0, 1, … from several senders at the same time. */
async function concurrently(count: number, send: (i: number) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: 8 }, async (_, sender) => {
    for (let i = sender; i < count; i += 8) await send(i);
  }));
}

/** A text of 200 MB, more than the extractor accepts. */
function hugeText(): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode("A line of a text that is far too long.\n".repeat(200e6 / 39));
}

const textUpload: Check = {
  name: "memory-text-upload",
  async run(attack) {
    const server = await attack.serve();
    const text = hugeText();
    return await afterLoad(server, async () => {
      const started = await callTool(server, "kb_upload_start", {
        filename: "huge.txt",
        total_size: text.byteLength,
      });
      if (started.isError) return `refused at the start: ${started.text.slice(0, 80)}`;
      const { pathname } = new URL(String(started.structured["upload_url"]));
      const put = await fetch(server.url + pathname, { method: "PUT", body: text });
      await put.body?.cancel();
      const finished = await callTool(server, "kb_upload_finish", {
        upload_id: started.structured["upload_id"],
      });
      return `PUT ${put.status}, then ${finished.text.slice(0, 80)}`;
    });
  },
};

const textFile: Check = {
  name: "memory-text-file",
  async run(attack) {
    const server = await attack.engine();
    return await afterLoad(server, async () => {
      const text = hugeText();
      const { status, body } = await submitFile(server, "huge.txt", text);
      if (status !== 202) return `refused with ${status}`;
      await drainQueue(server);
      const job = (await api(server, `/jobs/${body.job_id}`)).body;
      if (job.error_code !== "too_large") {
        throw new Error(`the job expected too_large, got ${job.error_code}`);
      }
      return "job failed with too_large";
    });
  },
};

/** Resident memory of the program with all its processes while it reads files of all sizes, in MiB. */
const MAX_MIXED_MIB = 600;

const mixedFiles: Check = {
  name: "memory-mixed-files",
  timeoutMs: 400_000,
  async run(attack) {
    const server = await attack.engine({ env: { KB_MAX_FILE_BYTES: "1GiB" } });
    const idle = await residentMiB(server.pid);
    const watch = new MemoryWatch(server.pid);
    const text = "A line of a text that is far too long.\n".repeat(20e6 / 39);
    const page = Array.from(
      { length: 45 },
      (_, i) => `Line ${i} of a page with some words about the weather.`,
    ).join("\n");
    const pdf = samplePdf(Array.from({ length: 2400 }, (_, i) => `Page ${i}\n${page}`));
    const sent = [
      await submitFile(server, "manual.pdf", pdf),
      await submitFile(server, "huge.txt", new Blob(Array.from({ length: 15 }, () => text))),
      await submitFile(server, "long.txt", text.slice(0, 15_900_000)),
    ];
    let slowest = 0;
    for (let i = 0; i < (attack.long ? 1000 : 100); i++) {
      const startedAt = performance.now();
      await ingestFile(server, `note-${i}.md`, `# Note ${i}\n\nSome words about item ${i}.`);
      slowest = Math.max(slowest, performance.now() - startedAt);
    }
    await drainQueue(server);
    await watch[Symbol.asyncDispose]();
    const jobs = await Promise.all(
      sent.map(async ({ body }) => (await api(server, `/jobs/${body.job_id}`)).body),
    );
    const results = jobs.map(({ filename, status, error_code }) => `${filename} ${error_code ?? status}`)
      .join(", ");
    const figures = `${results}; slowest small file ${slowest.toFixed(0)} ms; RSS idle ${
      idle.toFixed(0)
    }, peak ${watch.peakMiB.toFixed(0)} MiB`;
    if (watch.peakMiB > MAX_MIXED_MIB) {
      throw new Error(`RSS must be at most ${MAX_MIXED_MIB} MiB: ${figures}`);
    }
    const settled = await eventually(() => residentMiB(server.pid), (now) => now < MAX_SETTLED_MIB, {
      timeoutMs: 60_000,
      description: `${figures}; below ${MAX_SETTLED_MIB} MiB`,
    });
    return `${figures}, settled ${settled.toFixed(0)} MiB`;
  },
};

const htmlImport: Check = {
  name: "memory-html-import",
  timeoutMs: 400_000,
  async run(attack) {
    const server = await attack.engine();
    const count = attack.long ? 2000 : 500;
    return await afterLoad(server, async () => {
      await concurrently(count, async (i) => {
        const paragraphs = Array.from(
          { length: 60 },
          (_, n) => `<p>Paragraph ${n} of page ${i}, with <a href="/${n}">a link</a> and words to index.</p>`,
        );
        const page = `<html><head><title>Page ${i}</title></head><body><article>${
          paragraphs.join("")
        }</article></body></html>`;
        const { status } = await submitFile(server, `page-${i}.html`, page);
        if (status !== 202) throw new Error(`page ${i} expected status 202, got ${status}`);
      });
      await drainQueue(server);
      return `${count} HTML files`;
    });
  },
};

const notes: Check = {
  name: "memory-notes",
  timeoutMs: 600_000,
  async run(attack) {
    const server = await attack.engine({ env: { KB_MAX_QUEUED_JOBS: "100000" } });
    const count = attack.long ? 40_000 : 4000;
    return await afterLoad(server, async () => {
      await concurrently(count, async (i) => {
        const { status } = await submitNote(server, `Note ${i}. ${`word${i % 997} and others `.repeat(40)}`);
        if (status !== 202) throw new Error(`note ${i} expected status 202, got ${status}`);
      });
      await drainQueue(server);
      return `${count} notes`;
    });
  },
};

/** Starts an engine whose answers to searches are larger than the server reads. */
function oversizedEngine(attack: Attack): string {
  const chunk = new TextEncoder().encode(`"${"a".repeat(MiB - 4)}",\n`);
  const engine = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    if (request.url.endsWith("/status")) return Response.json({ version: "3.1.0" });
    let left = 256;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => left-- > 0 ? controller.enqueue(chunk) : controller.close(),
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  });
  attack.defer(() => engine.shutdown());
  return `http://127.0.0.1:${engine.addr.port}`;
}

const answers: Check = {
  name: "memory-engine-answers",
  async run(attack) {
    const server = await attack.serve({ env: { KB_ENGINE_URL: oversizedEngine(attack) } });
    return await afterLoad(server, async () => {
      const results = await Promise.all(
        Array.from({ length: 6 }, () => callTool(server, "kb_search", { query: "anything" })),
      );
      if (results.some(({ isError }) => !isError)) throw new Error("an oversized answer was accepted");
      return `6 × ${results[0]!.text.slice(0, 80)}`;
    });
  },
};

const arrays: Check = {
  name: "memory-arrays",
  async run(attack) {
    const server = await attack.serve();
    const params = { list: Array.from({ length: 900_000 }, (_, i) => i % 10) };
    return await afterLoad(server, async () => {
      const request = mcpRequest("tools/call", { name: "kb_search", arguments: params });
      await concurrently(attack.long ? 500 : 80, () => exchange(server, request).catch(() => {}));
      return "arrays as arguments";
    });
  },
};

const largeDocument: Check = {
  name: "memory-large-document",
  async run(attack) {
    const server = await attack.engine();
    return await afterLoad(server, async () => {
      const text = Array.from({ length: 150_000 }, (_, i) => `Line ${i} of a long text with word${i}.`).join(
        "\n",
      );
      const job = await ingestFile(server, "long.txt", text, 100_000);
      return `${(text.length / 1e6).toFixed(1)} million characters: ${job.status}`;
    });
  },
};

/** Loads and the memory after them. */
export const memory: readonly Check[] = [
  textUpload,
  textFile,
  mixedFiles,
  htmlImport,
  notes,
  answers,
  arrays,
  largeDocument,
];

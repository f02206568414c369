/**
 * Files that attack extraction: parsers that loop, archives that unpack to gigabytes, damaged files.
 *
 * @module
 */
import type { ServerProcess } from "../../scripts/server_process.ts";
import type { Check } from "./attack.ts";
import { type EndedJob, ingestFile, submitFile, waitForJob } from "./engine_requests.ts";
import { eventually } from "./eventually.ts";
import { cmapLoopPdf, hostileFiles, variant } from "./hostile_samples.ts";
import { MemoryWatch, type ProcessTree, processTree } from "./process_tree.ts";

/** Minimum of `KB_EXTRACT_TIMEOUT`. */
const SHORT_TIMEOUT = { KB_EXTRACT_TIMEOUT: "1s" };
/**
 * Resident memory of all processes during extraction of a hostile file, in MiB: the 1 GiB of `KB_EXTRACT_MEMORY`,
 * what a parser takes until it is checked again and killed, and the server itself.
 */
const MAX_PEAK_MIB = 2048;

/** Waits until the program is as small and as idle as before, and returns what it became. */
async function returnsTo(server: ServerProcess, before: ProcessTree): Promise<string> {
  const { now, cpu } = await eventually(
    async () => {
      const start = await processTree(server.pid);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const now = await processTree(server.pid);
      return { now, cpu: Math.max(0, now.cpuSeconds - start.cpuSeconds) };
    },
    ({ now, cpu }) =>
      cpu < 0.2 && now.processes <= before.processes && now.threads <= before.threads + 2 &&
      now.residentMiB < 250,
    { timeoutMs: 60_000, description: `the size before (${before.threads} threads, below 250 MiB), idle` },
  );
  return `after: ${now.processes} processes, ${now.threads} threads, ${now.residentMiB.toFixed(0)} MiB, ${
    cpu.toFixed(2)
  } s of CPU per s`;
}

/** Checks that a good file becomes a document. */
async function ingestsGoodFile(server: ServerProcess, text: string): Promise<void> {
  const job = await ingestFile(server, `${text}.md`, `# ${text}\n\nA good file after the hostile ones.`);
  if (job.status !== "done") throw new Error(`a good file failed: ${job.error}`);
}

/** Measures the program after it has extracted a file, when its worker threads run. */
async function warmSize(server: ServerProcess): Promise<ProcessTree> {
  await ingestsGoodFile(server, "first");
  return await processTree(server.pid);
}

const loop: Check = {
  name: "looping-parser",
  timeoutMs: 180_000,
  async run(attack) {
    const server = await attack.engine({ env: SHORT_TIMEOUT });
    const before = await warmSize(server);
    const content = cmapLoopPdf();
    const codes: string[] = [];
    for (let i = 0; i < 4; i++) {
      const file = variant({ name: "loop.pdf", content }, i);
      const job = await ingestFile(server, file.name, file.content);
      codes.push(job.error_code ?? job.status);
    }
    await ingestsGoodFile(server, "last");
    if (codes.some((code) => code !== "timeout" && code !== "too_large")) {
      throw new Error(`jobs expected timeout or too_large, got ${codes.join(", ")}`);
    }
    return `${content.byteLength} bytes, ${codes.join(", ")}; ${await returnsTo(server, before)}`;
  },
};

const kinds: Check = {
  name: "hostile-files",
  timeoutMs: 1_800_000,
  async run(attack) {
    const server = await attack.engine({ env: SHORT_TIMEOUT });
    const before = await warmSize(server);
    await using watch = new MemoryWatch(server.pid);
    const files = await hostileFiles();
    const count = attack.long ? 1000 : 3 * files.length;
    const results = new Map<string, number>();
    const pending: number[] = [];
    const settle = async () => {
      const job: EndedJob = await waitForJob(server, pending.shift()!, 120_000);
      const result = job.error_code ?? job.status;
      results.set(result, (results.get(result) ?? 0) + 1);
    };
    for (let i = 0; i < count; i++) {
      const file = variant(files[i % files.length]!, i);
      const { status, body } = await submitFile(server, file.name, file.content);
      if (status === 202) pending.push(body.job_id);
      else results.set(String(status), (results.get(String(status)) ?? 0) + 1);
      // A short queue is enough to keep the extractor busy.
      if (pending.length >= 4) await settle();
    }
    while (pending.length > 0) await settle();
    await ingestsGoodFile(server, "last");
    const figures = `${count} files: ${
      [...results].map(([result, n]) => `${n} × ${result}`).join(", ")
    }; peak ${watch.peakMiB.toFixed(0)} MiB`;
    if (results.has("internal")) throw new Error(`no file may cause an internal error: ${figures}`);
    if (watch.peakMiB > MAX_PEAK_MIB) throw new Error(`RSS must stay below ${MAX_PEAK_MIB} MiB: ${figures}`);
    return `${figures}; ${await returnsTo(server, before)}`;
  },
};

/** Attacks on extraction. */
export const hostileFileChecks: readonly Check[] = [loop, kinds];

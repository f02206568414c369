/**
 * Checks that the program is as small, idle and useful after hostile files as before.
 *
 * @module
 */
import type { ServerProcess } from "../../scripts/server_process.ts";
import { ingestFile } from "./engine_requests.ts";
import { eventually } from "./eventually.ts";
import { type ProcessTree, processTree } from "./process_tree.ts";

/** Waits until the program is as small and as idle as before, and returns what it became. */
export async function returnsTo(server: ServerProcess, before: ProcessTree): Promise<string> {
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
export async function ingestsGoodFile(server: ServerProcess, text: string): Promise<void> {
  const job = await ingestFile(server, `${text}.md`, `# ${text}\n\nA good file after the hostile ones.`);
  if (job.status !== "done") throw new Error(`a good file failed: ${job.error}`);
}

/** Measures the program after it has extracted a file, when its worker threads run. */
export async function warmSize(server: ServerProcess): Promise<ProcessTree> {
  await ingestsGoodFile(server, "first");
  return await processTree(server.pid);
}

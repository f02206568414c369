/**
 * Disks that are full or read-only.
 *
 * @module
 */
import type { ServerProcess } from "../../scripts/server_process.ts";
import type { Check } from "./attack.ts";
import { api, documentCount, storeNotes, submitNote, waitForJob } from "./engine_requests.ts";
import { eventually } from "./eventually.ts";
import { mountTmpfs, remountReadOnly } from "./mounts.ts";
import { callTool, exchange, READY } from "./requests.ts";

/** Waits for a state of `/readyz`. */
async function readiness(server: ServerProcess, status: number, reason: string): Promise<void> {
  await eventually(
    async () => {
      const response = await exchange(server, READY);
      return `${response.status} ${JSON.parse(response.body).status}`;
    },
    (found) => found === `${status} ${reason}`,
    { timeoutMs: 30_000, description: `/readyz with ${status} ${reason}` },
  );
}

/** Fills a file system and returns the path of the file that does. */
async function fill(directory: string): Promise<string> {
  const path = `${directory}/ballast`;
  using file = await Deno.open(path, { write: true, create: true });
  for (let size = 64 * 1024; size >= 512; size /= 2) {
    try {
      while (true) await file.write(new Uint8Array(size));
    } catch {
      // Full for this size.
    }
  }
  return path;
}

const full: Check = {
  name: "full-disk",
  async run(attack) {
    const disk = await mountTmpfs(attack, "32m");
    const server = await attack.engine({ data: `${disk}/data` });
    const mcp = await attack.serve({ env: { KB_ENGINE_URL: server.url } });
    const acknowledged = await storeNotes(server, 10);
    const ballast = await fill(disk);
    const refused = await eventually(
      async () => {
        const { status, body } = await submitNote(server, `${crypto.randomUUID()} `.repeat(200));
        if (status === 202) {
          // Accepted is durable: it must become a document once there is space.
          acknowledged.push(String(body.job_id));
          return "202";
        }
        return `${status} ${body.error?.code}`;
      },
      (result) => result !== "202",
      { timeoutMs: 20_000, description: "a refused note" },
    );
    if (refused !== "507 storage_full") throw new Error(`a note expected 507 storage_full, got ${refused}`);
    await readiness(mcp, 503, "storage_full");
    const reads = await api(server, "/documents/1");
    if (reads.status !== 200) {
      throw new Error(`reads on a full disk expected status 200, got ${reads.status}`);
    }
    await Deno.remove(ballast);
    await readiness(mcp, 200, "ready");
    await storeNotes(server, 1, "after");
    for (let id = 1; id <= acknowledged.length; id++) {
      const job = await waitForJob(server, id);
      if (job.status !== "done") throw new Error(`accepted job ${id} failed: ${job.error}`);
    }
    await server.terminate();
    const again = await attack.engine({ data: `${disk}/data` });
    const count = await documentCount(again);
    if (count !== acknowledged.length + 1) {
      throw new Error(`${acknowledged.length + 1} acknowledged notes expected, got ${count}`);
    }
    return `refused with ${refused}, /readyz 503 storage_full then 200, ${count} acknowledged notes kept`;
  },
};

const readOnly: Check = {
  name: "read-only-disk",
  async run(attack) {
    const disk = await mountTmpfs(attack, "32m");
    const [stopped, killed] = [`${disk}/stopped`, `${disk}/killed`];
    {
      await using engine = await attack.engine({ data: stopped });
      await storeNotes(engine, NOTES);
      await engine.terminate();
    }
    {
      await using engine = await attack.engine({ data: killed });
      await storeNotes(engine, NOTES);
    }
    await remountReadOnly(disk);
    const writes: string[] = [];
    for (const data of [stopped, killed]) {
      await using server = await attack.serve({ data });
      await readiness(server, 503, "read_only");
      // Of the killed one they are in the log.
      const { isError, text } = await callTool(server, "kb_search", { query: "subject" });
      if (isError || JSON.parse(text).total !== NOTES) {
        throw new Error(`a search must find ${NOTES} notes in ${data}, got ${text}`);
      }
      const write = await callTool(server, "kb_addnote", { text: "A note on a read-only disk" });
      if (!write.isError || /may have been/.test(write.text)) {
        throw new Error(`a write must be refused as not done, got ${write.text}`);
      }
      writes.push(write.text.slice(0, 80));
    }
    return `/readyz 503 read_only, searches find all notes, writes: ${writes.join("; ")}`;
  },
};

/** Number of notes on a read-only disk. */
const NOTES = 10;

/** Attacks on the disk. */
export const disk: readonly Check[] = [full, readOnly];

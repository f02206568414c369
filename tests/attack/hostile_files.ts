/**
 * Files that attack extraction: parsers that loop, archives that unpack to gigabytes, damaged files.
 *
 * @module
 */
import type { Check } from "./attack.ts";
import { type EndedJob, ingestFile, submitFile, waitForJob } from "./engine_requests.ts";
import { ESCAPED_PATHS, hostileArchives } from "./hostile_archives.ts";
import { hostileDocuments } from "./hostile_documents.ts";
import { hostileFiles, inflatingPdf, variant } from "./hostile_samples.ts";
import { MemoryWatch } from "./process_tree.ts";
import { ingestsGoodFile, returnsTo, warmSize } from "./recovery.ts";

/** Minimum of `KB_EXTRACT_TIMEOUT`. */
const SHORT_TIMEOUT = { KB_EXTRACT_TIMEOUT: "1s" };
/**
 * Resident memory of all processes during extraction of a hostile file, in MiB: the 1 GiB of `KB_EXTRACT_MEMORY`,
 * what a parser takes until it is checked again and killed, and the server itself.
 */
const MAX_PEAK_MIB = 2048;

const loop: Check = {
  name: "looping-parser",
  timeoutMs: 180_000,
  async run(attack) {
    const server = await attack.engine({ env: SHORT_TIMEOUT });
    const before = await warmSize(server);
    const content = inflatingPdf();
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
    const files = [...await hostileFiles(), ...hostileArchives(), ...hostileDocuments()];
    const count = attack.long ? 1000 : files.length;
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
    for (const path of ESCAPED_PATHS) {
      if (await Deno.stat(path).then(() => true, () => false)) throw new Error(`an archive wrote ${path}`);
    }
    if (results.has("internal")) throw new Error(`no file may cause an internal error: ${figures}`);
    if (watch.peakMiB > MAX_PEAK_MIB) throw new Error(`RSS must stay below ${MAX_PEAK_MIB} MiB: ${figures}`);
    return `${figures}; ${await returnsTo(server, before)}`;
  },
};

/** Attacks on extraction. */
export const hostileFileChecks: readonly Check[] = [loop, kinds];

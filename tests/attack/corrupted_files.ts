/**
 * Truncated files and files with flipped bits, of each format.
 *
 * @module
 */
import type { ServerProcess } from "../../scripts/server_process.ts";
import { corrupt, type Damage } from "../support/corrupt.ts";
import { seededRandom } from "../support/random.ts";
import { type SampleFile, sampleFiles } from "../support/sample_formats.ts";
import type { Check } from "./attack.ts";
import { submitFile, waitForJob } from "./engine_requests.ts";
import { MemoryWatch } from "./process_tree.ts";
import { ingestsGoodFile, returnsTo, warmSize } from "./recovery.ts";

/** Resident memory of all processes, in MiB: the files have a few KiB. */
const MAX_PEAK_MIB = 600;
/** Errors that no damaged file of a few KiB may cause. */
const FORBIDDEN = ["internal", "timeout", "too_large"];

/** Sends damaged copies of a file and counts the results, by status or error code. */
async function attackFormat(server: ServerProcess, sample: SampleFile, damage: Damage, count: number) {
  const random = seededRandom(count);
  const results = new Map<string, number>();
  const pending: { job: number; n: number }[] = [];
  const settle = async () => {
    const { job, n } = pending.shift()!;
    const { status, error_code, error } = await waitForJob(server, job, 120_000);
    const result = error_code ?? status;
    results.set(result, (results.get(result) ?? 0) + 1);
    if (FORBIDDEN.includes(result)) {
      throw new Error(`${sample.filename}, ${damage}, number ${n} of ${count}: ${result}: ${error}`);
    }
  };
  for (let n = 0; n < count; n++) {
    const content = corrupt(sample.bytes, damage, random);
    const { status, body } = await submitFile(server, `${damage}-${n}-${sample.filename}`, content);
    if (status === 202) pending.push({ job: body.job_id, n });
    else results.set(String(status), (results.get(String(status)) ?? 0) + 1);
    if (pending.length >= 8) await settle();
  }
  while (pending.length > 0) await settle();
  return results;
}

const corruption: Check = {
  name: "corrupted-files",
  timeoutMs: 3_600_000,
  async run(attack) {
    const server = await attack.engine({ env: { KB_EXTRACT_TIMEOUT: "20s" } });
    const before = await warmSize(server);
    await using watch = new MemoryWatch(server.pid);
    const samples = sampleFiles("The quick brown fox jumps");
    const count = attack.long ? 200 : 10;
    const totals = new Map<string, number>();
    for (const sample of samples) {
      for (const damage of ["truncated", "flipped"] as const) {
        for (const [result, n] of await attackFormat(server, sample, damage, count)) {
          totals.set(result, (totals.get(result) ?? 0) + n);
        }
      }
    }
    await ingestsGoodFile(server, "last");
    const figures = `${samples.length} formats, ${count} truncations and ${count} bit flips each: ${
      [...totals].map(([result, n]) => `${n} × ${result}`).join(", ")
    }; peak ${watch.peakMiB.toFixed(0)} MiB`;
    if (watch.peakMiB > MAX_PEAK_MIB) throw new Error(`RSS must stay below ${MAX_PEAK_MIB} MiB: ${figures}`);
    return `${figures}; ${await returnsTo(server, before)}`;
  },
};

/** Attacks with damaged files. */
export const corruptedFiles: readonly Check[] = [corruption];

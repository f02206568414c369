/** Returns the median of values in any order; of an even number, the larger of the middle two. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the value below which a fraction of the values lies. */
export function quantile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? NaN;
}

/** Returns the columns of a table with the percentiles of times in milliseconds. */
export function latencyColumns(times: readonly number[]) {
  const at = (fraction: number) => quantile(times, fraction).toFixed(2);
  return { "p50 ms": at(0.5), "p95 ms": at(0.95), "p99 ms": at(0.99), "max ms": at(1) };
}

/** Returns the resident memory of a process in MiB; NaN where there is no `/proc`. */
export async function residentMiB(pid: number): Promise<number> {
  if (Deno.build.os !== "linux") return NaN;
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(await Deno.readTextFile(`/proc/${pid}/status`))?.[1];
  return Number(kilobytes) / 1024;
}

/** Memory of a process in MiB, from `/proc`. */
export interface ProcessMemory {
  /** Resident, with the page cache of mapped files. */
  readonly resident: number;
  /** Anonymous: heaps and buffers. */
  readonly anonymous: number;
  /** Largest resident memory so far. */
  readonly peak: number;
}

/** Reads the memory of a process. Linux only. */
export async function memoryOf(pid: number): Promise<ProcessMemory> {
  const [rollup, status] = await Promise.all(
    ["smaps_rollup", "status"].map((name) => Deno.readTextFile(`/proc/${pid}/${name}`)),
  );
  const mebibytes = (text: string, field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text)?.[1]) / 1024;
  return {
    resident: mebibytes(rollup!, "Rss"),
    anonymous: mebibytes(rollup!, "Anonymous"),
    peak: mebibytes(status!, "VmHWM"),
  };
}

/** Length of a clock tick of `/proc/PID/stat` in milliseconds. */
const TICK_MS = 10;

/** Returns the processor time of a process so far, in milliseconds, to 10 ms. Linux only. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  // The name of the program, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

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

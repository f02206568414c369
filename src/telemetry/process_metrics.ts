import process from "node:process";
import type { MetricsRegistry } from "./metrics_registry.ts";

/** Microseconds in a second. */
const MICROSECONDS = 1e6;

/**
 * Adds metrics of the process, with the names that Prometheus clients share, and the program's version. Not in mod.ts:
 * threads would load `node:process`, which takes as long as the rest of the folder.
 *
 * @param version Version of the program.
 */
export function addProcessMetrics(metrics: MetricsRegistry, version: string): void {
  const startedAt = Date.now() / 1000;
  metrics.observed("kb_build_info", {
    type: "gauge",
    help: "Always 1; the labels are the versions of kb-mcp and Deno.",
    read: () => [[{ version, deno: Deno.version.deno }, 1]],
  });
  metrics.observed("process_start_time_seconds", {
    type: "gauge",
    help: "Start of the process in seconds since 1970.",
    read: () => startedAt,
  });
  metrics.observed("process_resident_memory_bytes", {
    type: "gauge",
    help: "Resident memory of the process, without the one that extracts text.",
    read: () => Deno.memoryUsage().rss,
  });
  metrics.observed("process_cpu_seconds_total", {
    type: "counter",
    help: "Processor time of the process in user and system mode.",
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / MICROSECONDS;
    },
  });
}

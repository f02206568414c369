import type { SyncReport } from "../../contract/mod.ts";
import type { MetricsRegistry } from "../../telemetry/mod.ts";

/** Kinds of changes that a report counts. */
const CHANGES = ["created", "updated", "renamed", "deleted", "failed"] as const;

/** Adds metrics of synchronizations. Returns a function that records one; its names are those of sources. */
export function syncMetrics(metrics: MetricsRegistry): (source: string, report: SyncReport) => void {
  const syncs = metrics.counter("kb_engine_source_syncs_total", {
    help: "Synchronizations of sources, by outcome: `ok`, `partial` (some files failed) or `failed`.",
    labels: ["source", "outcome"],
  });
  const files = metrics.counter("kb_engine_source_files_total", {
    help: "Files of sources, by what synchronizations did with them.",
    labels: ["source", "change"],
  });
  const endedAt = new Map<string, number>();
  metrics.observed("kb_engine_source_last_sync_timestamp_seconds", {
    type: "gauge",
    help: "End of the last synchronization of a source in this process, in seconds since 1970.",
    read: () => Iterator.from(endedAt).map(([source, seconds]) => [{ source }, seconds] as const),
  });
  return (source, report) => {
    const outcome = report.error ? "failed" : report.failed > 0 ? "partial" : "ok";
    syncs.add({ source, outcome });
    for (const change of CHANGES) {
      if (report[change] > 0) files.add({ source, change }, report[change]);
    }
    if (report.finished_at !== null) endedAt.set(source, Date.parse(report.finished_at) / 1000);
  };
}

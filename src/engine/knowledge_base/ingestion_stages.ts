import { DURATION_BUCKETS, type Histogram, type MetricsRegistry } from "../../telemetry/mod.ts";

/** The histogram of the stages of ingestion, which several parts of the engine fill. */
export function ingestionStages(metrics: MetricsRegistry): Histogram {
  return metrics.histogram("kb_engine_ingestion_duration_seconds", {
    help: "Duration of the stages of ingestion: `extract` and `store` per file, `embed` per batch of chunks.",
    labels: ["stage"],
    buckets: DURATION_BUCKETS,
  });
}

import {
  type Counter,
  DURATION_BUCKETS,
  type Histogram,
  type MetricsRegistry,
} from "../../../telemetry/mod.ts";
import { ingestionStages } from "../../knowledge_base/mod.ts";
import type { WriteCall } from "./protocol.ts";

/** Metrics of the writer: its commits, and the vectors that it stores. */
export class WriterMetrics {
  readonly #writes: Counter;
  readonly #commits: Histogram;
  readonly #embedded: Counter;
  readonly #stages: Histogram;

  constructor(metrics: MetricsRegistry) {
    this.#writes = metrics.counter("kb_engine_writes_total", {
      help: "Write operations, by operation. Those of one commit share a sync of the disk.",
      labels: ["operation"],
    });
    this.#commits = metrics.histogram("kb_engine_commit_duration_seconds", {
      help: "Duration of commits, with the operations in them.",
      buckets: DURATION_BUCKETS,
    });
    this.#embedded = metrics.counter("kb_engine_embedded_total", { help: "Texts that were embedded." });
    this.#stages = ingestionStages(metrics);
  }

  /** Records a group of calls, committed or not. */
  committed(group: readonly WriteCall[], durationMs: number): void {
    for (const { operation } of group) this.#writes.add({ operation });
    this.#commits.observe(durationMs / 1000);
  }

  /** Records texts that were embedded together. */
  embedded(texts: number, durationMs: number): void {
    this.#embedded.add({}, texts);
    this.#stages.observe(durationMs / 1000, { stage: "embed" });
  }
}

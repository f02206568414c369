import { Counter, Histogram, type HistogramOptions, type InstrumentOptions } from "./instruments.ts";
import type { Labels, MeasurementSink, Metric, Sample } from "./instruments.ts";

/** Bounds of histograms of durations, in seconds: from a cached listing to a call that waits for a job. */
export const DURATION_BUCKETS: readonly number[] = [
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
  60,
];

/** Media type of {@linkcode MetricsRegistry.expose}. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Options of {@linkcode MetricsRegistry.observed}. */
export interface ObservedOptions {
  readonly type: "counter" | "gauge";
  readonly help: string;
  /** Returns the current value, or one for each combination of labels; undefined: unknown now. */
  readonly read: () => number | Iterable<readonly [Labels, number]> | undefined;
}

/**
 * The metrics of a process, exposed in the text format of Prometheus 0.0.4.
 *
 * An own registry instead of `prom-client`: that one keeps a registry, default metrics and timers for the whole
 * process, reads `process` more widely than kb-mcp is permitted to, and does not bound the number of series.
 *
 * @example
 * ```ts
 * import { MetricsRegistry } from "./metrics_registry.ts";
 * import { assertEquals } from "@std/assert";
 * const metrics = new MetricsRegistry();
 * metrics.counter("pages_total", { help: "Pages read.", labels: ["type"] }).add({ type: "pdf" }, 2);
 * assertEquals(
 *   await metrics.expose(),
 *   '# HELP pages_total Pages read.\n# TYPE pages_total counter\npages_total{type="pdf"} 2\n',
 * );
 * ```
 */
export class MetricsRegistry {
  readonly #metrics = new Map<string, Metric>();
  readonly #refreshers: (() => void | Promise<void>)[] = [];
  /** Receives every measurement in addition, once set. */
  sink: MeasurementSink | undefined;

  /** Adds a counter, or returns the existing one. Its name ends with `_total`. */
  counter(name: string, options: InstrumentOptions): Counter {
    return this.#add(new Counter(name, { ...options, sink: () => this.sink }));
  }

  /** Adds a histogram, or returns the existing one. Its name ends with the unit. */
  histogram(name: string, options: HistogramOptions): Histogram {
    return this.#add(new Histogram(name, { ...options, sink: () => this.sink }));
  }

  /** Adds a metric whose value is read when the metrics are exposed. */
  observed(name: string, { type, help, read }: ObservedOptions): void {
    const samples = (): Iterable<Sample> => {
      const value = read();
      if (value === undefined) return [];
      return typeof value === "number"
        ? [{ labels: {}, value }]
        : Iterator.from(value).map(([labels, value]) => ({ labels, value }));
    };
    this.#add({ name, help, type, read: samples });
  }

  /** Runs a function each time before observed values are read. It must not reject. */
  onRefresh(refresh: () => void | Promise<void>): void {
    this.#refreshers.push(refresh);
  }

  /** All metrics. Observed values are those of the last {@linkcode refresh}. */
  get metrics(): Iterable<Metric> {
    return this.#metrics.values();
  }

  /** Updates what observed values are read from. */
  async refresh(): Promise<void> {
    await Promise.all(this.#refreshers.map((refresh) => refresh()));
  }

  /** Returns all metrics as text of the media type {@linkcode EXPOSITION_TYPE}. */
  async expose(): Promise<string> {
    await this.refresh();
    let text = "";
    for (const metric of this.#metrics.values()) text += exposeMetric(metric);
    return text;
  }

  #add<T extends Metric>(metric: T): T {
    const existing = this.#metrics.get(metric.name);
    // Two servers in one process share an instrument; a label tells them apart.
    if (existing && existing.constructor === metric.constructor && metric.type !== "gauge") {
      return existing as T;
    }
    this.#metrics.set(metric.name, metric);
    return metric;
  }
}

function exposeMetric(metric: Metric): string {
  const { name, help, type } = metric;
  let text = `# HELP ${name} ${
    help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
  }\n# TYPE ${name} ${type}\n`;
  for (const { suffix = "", labels, value } of metric.read()) {
    text += `${name}${suffix}${exposeLabels(labels)} ${exposeNumber(value)}\n`;
  }
  return text;
}

function exposeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function exposeNumber(value: number): string {
  return value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value);
}

import type { Counter, Histogram, Meter } from "@opentelemetry/api";
import type { Metric } from "./instruments.ts";
import type { MetricsRegistry } from "./metrics_registry.ts";

/**
 * Exports the metrics of a registry through OpenTelemetry as well, under the same names: measurements as they are
 * made, observed values when they are exported.
 */
export function exportMetrics(metrics: MetricsRegistry, meter: Meter): void {
  const counters = new Map<Metric, Counter>();
  const histograms = new Map<Metric, Histogram>();
  exportObserved(metrics, meter);
  metrics.sink = {
    add(metric, amount, labels) {
      let counter = counters.get(metric);
      if (!counter) {
        counter = meter.createCounter(withoutTotal(metric.name), { description: metric.help });
        counters.set(metric, counter);
      }
      counter.add(amount, labels);
    },
    record(metric, value, labels) {
      let histogram = histograms.get(metric);
      if (!histogram) {
        histogram = meter.createHistogram(metric.name, { description: metric.help, unit: "s" });
        histograms.set(metric, histogram);
      }
      histogram.record(value, labels);
    },
  };
}

function exportObserved(metrics: MetricsRegistry, meter: Meter): void {
  const observed = Iterator.from(metrics.metrics).filter(({ type }) => type === "gauge").map((metric) =>
    [metric, meter.createObservableGauge(metric.name, { description: metric.help })] as const
  ).toArray();
  meter.addBatchObservableCallback(async (result) => {
    await metrics.refresh();
    for (const [metric, instrument] of observed) {
      for (const { labels, value } of metric.read()) result.observe(instrument, value, labels);
    }
  }, observed.map(([, instrument]) => instrument));
}

/** OpenTelemetry adds `_total` to counters when it converts them for Prometheus. */
function withoutTotal(name: string): string {
  return name.replace(/_total$/, "");
}

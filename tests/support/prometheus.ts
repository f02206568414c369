/** A series of the Prometheus text format with its value. */
export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric of the Prometheus text format. */
export interface ParsedMetric {
  readonly type: string;
  readonly samples: readonly ParsedSample[];
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|[+-]?[0-9.]+(?:e[+-]?\d+)?)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

/**
 * Parses the Prometheus text format 0.0.4 strictly: every sample belongs to the metric announced before it, no
 * metric or series appears twice, and the buckets of a histogram are cumulative and end with its count.
 */
export function parseMetrics(text: string): Map<string, ParsedMetric> {
  if (!text.endsWith("\n")) throw new Error("The last line must end with a newline");
  const metrics = new Map<string, { type: string; samples: ParsedSample[] }>();
  const series = new Set<string>();
  let current = "";
  let help = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const comment = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (comment) {
      const [, kind, name = "", rest = ""] = comment;
      if (kind === "HELP") help = name;
      else {
        if (metrics.has(name) || help !== name) throw new Error(`Unexpected ${line}`);
        if (!/^(?:counter|gauge|histogram)$/.test(rest)) throw new Error(`Unknown type: ${line}`);
        metrics.set(current = name, { type: rest, samples: [] });
      }
      continue;
    }
    const [, name = "", list, number = ""] = LINE.exec(line) ?? [];
    const metric = metrics.get(current);
    const suffixes = metric?.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    if (!metric || !suffixes.some((suffix) => name === current + suffix)) {
      throw new Error(`Unexpected ${line}`);
    }
    const labels = parseLabels(list ?? "");
    const key = JSON.stringify([name, Object.entries(labels).sort()]);
    if (series.has(key)) throw new Error(`A series appears twice: ${line}`);
    series.add(key);
    metric.samples.push({ name, labels, value: Number(number.replace("Inf", "Infinity")) });
  }
  for (const [name, { type, samples }] of metrics) {
    if (type === "counter" && !name.endsWith("_total")) throw new Error(`${name} must end with _total`);
    if (type === "histogram") checkHistogram(name, samples);
  }
  return metrics;
}

/** Returns the value of a series of a metric, by some of its labels; undefined if no series matches. */
export function valueOf(
  metrics: ReadonlyMap<string, ParsedMetric>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const metric = metrics.get(name) ?? metrics.get(name.replace(/_(?:bucket|sum|count)$/, ""));
  return metric?.samples.find((sample) =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  )?.value;
}

function parseLabels(list: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < list.length) {
    const at = LABEL.lastIndex;
    const [, name = "", value = ""] = LABEL.exec(list) ?? [];
    if (name === "" || name in labels) throw new Error(`Invalid labels at ${at}: ${list}`);
    labels[name] = value.replace(/\\(.)/g, (_, character) => character === "n" ? "\n" : character);
  }
  return labels;
}

function checkHistogram(name: string, samples: readonly ParsedSample[]): void {
  let last = 0;
  for (const { name: sample, value } of samples) {
    if (sample === `${name}_bucket`) {
      if (value < last) throw new Error(`The buckets of ${name} must be cumulative`);
      last = value;
    } else if (sample === `${name}_count`) {
      if (value !== last) throw new Error(`${name} must end with its count`);
      last = 0;
    }
  }
}

/** Values of the labels of a series, by name. Only values from a small fixed set: each creates a series. */
export type Labels = Readonly<Record<string, string>>;

/** A value that is exposed, with its labels. */
export interface Sample {
  /** Appended to the metric's name, such as `_bucket`. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

/** A metric of a {@linkcode MetricsRegistry}. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Returns the current samples. */
  read(): Iterable<Sample>;
}

/** Receives every measurement, to export it elsewhere. */
export interface MeasurementSink {
  add(metric: Metric, amount: number, labels: Labels): void;
  record(metric: Metric, value: number, labels: Labels): void;
}

/** Maximum number of series of a metric: a label that takes unexpected values must not fill the memory. */
const MAX_SERIES = 500;
/** Label value of the measurements over {@linkcode MAX_SERIES}. */
const OVERFLOW = "other";

interface Series<T> {
  readonly labels: Labels;
  readonly value: T;
}

/** The series by the value of a label: each leads to those by the next label, and the last to one series. */
type SeriesTree<T> = Map<string, SeriesTree<T> | Series<T>>;

/** The series of a metric: one value for each combination of labels. */
class SeriesMap<T> {
  readonly #series: Series<T>[] = [];
  /** A tree, because a key of all labels would be built and hashed for each measurement. */
  readonly #tree: SeriesTree<T> = new Map();
  readonly #names: readonly string[];
  readonly #create: () => T;

  constructor(names: readonly string[], create: () => T) {
    this.#names = names;
    this.#create = create;
    // A metric without labels is exposed before its first measurement.
    if (names.length === 0) this.#series.push({ labels: {}, value: create() });
  }

  get(labels: Labels): T {
    let found: SeriesTree<T> | Series<T> | undefined = this.#names.length > 0 ? this.#tree : this.#series[0];
    for (const name of this.#names) {
      found = (found as SeriesTree<T>).get(labels[name] ?? "");
      if (!found) return this.#add(labels).value;
    }
    return (found as Series<T>).value;
  }

  values(): Iterable<Series<T>> {
    return this.#series;
  }

  #add(labels: Labels): Series<T> {
    const isFull = this.#series.length >= MAX_SERIES;
    const values = this.#names.map((name) => isFull ? OVERFLOW : labels[name] ?? "");
    const last = values.pop()!;
    let tree = this.#tree;
    for (const value of values) {
      const next = (tree.get(value) ?? new Map()) as SeriesTree<T>;
      tree.set(value, next);
      tree = next;
    }
    const known = tree.get(last) as Series<T> | undefined;
    if (known) return known;
    const series = {
      labels: Object.fromEntries(this.#names.map((name, i) => [name, [...values, last][i]!])),
      value: this.#create(),
    };
    tree.set(last, series);
    this.#series.push(series);
    return series;
  }
}

/** Options of a {@linkcode Counter} or {@linkcode Histogram}. */
export interface InstrumentOptions {
  readonly help: string;
  /** Names of the labels. */
  readonly labels?: readonly string[];
  /** Receives every measurement in addition. */
  readonly sink?: () => MeasurementSink | undefined;
}

/** A sum that only grows. */
export class Counter implements Metric {
  readonly type = "counter";
  readonly name: string;
  readonly help: string;
  readonly #series: SeriesMap<{ sum: number }>;
  readonly #sink: () => MeasurementSink | undefined;

  constructor(name: string, { help, labels = [], sink = () => undefined }: InstrumentOptions) {
    this.name = name;
    this.help = help;
    this.#series = new SeriesMap(labels, () => ({ sum: 0 }));
    this.#sink = sink;
  }

  /** Adds to the sum of a series. */
  add(labels: Labels = {}, amount = 1): void {
    this.#series.get(labels).sum += amount;
    this.#sink()?.add(this, amount, labels);
  }

  *read(): Iterable<Sample> {
    for (const { labels, value: { sum } } of this.#series.values()) yield { labels, value: sum };
  }
}

/** Options of a {@linkcode Histogram}. */
export interface HistogramOptions extends InstrumentOptions {
  /** Upper bounds of the buckets, ascending. */
  readonly buckets: readonly number[];
}

/** Counts measurements by size. */
export class Histogram implements Metric {
  readonly type = "histogram";
  readonly name: string;
  readonly help: string;
  readonly #buckets: readonly number[];
  readonly #series: SeriesMap<{ readonly counts: number[]; sum: number; count: number }>;
  readonly #sink: () => MeasurementSink | undefined;

  constructor(name: string, { help, labels = [], buckets, sink = () => undefined }: HistogramOptions) {
    this.name = name;
    this.help = help;
    this.#buckets = buckets;
    this.#series = new SeriesMap(labels, () => ({ counts: buckets.map(() => 0), sum: 0, count: 0 }));
    this.#sink = sink;
  }

  /** Counts a measurement. */
  observe(value: number, labels: Labels = {}): void {
    const series = this.#series.get(labels);
    series.count++;
    series.sum += value;
    let bucket = 0;
    while (bucket < this.#buckets.length && !(value <= this.#buckets[bucket]!)) bucket++;
    if (bucket < this.#buckets.length) series.counts[bucket]!++;
    this.#sink()?.record(this, value, labels);
  }

  *read(): Iterable<Sample> {
    for (const { labels, value: { counts, sum, count } } of this.#series.values()) {
      let cumulative = 0;
      for (const [i, bound] of this.#buckets.entries()) {
        cumulative += counts[i]!;
        yield { suffix: "_bucket", labels: { ...labels, le: String(bound) }, value: cumulative };
      }
      yield { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: count };
      yield { suffix: "_sum", labels, value: sum };
      yield { suffix: "_count", labels, value: count };
    }
  }
}

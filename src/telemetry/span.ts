/** Facts about a span: ids, counts and fixed words, never texts, titles or paths. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The part of a span that instrumented code uses. */
export interface ActiveSpan {
  /** Adds attributes. */
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed. An error that is thrown does that as well. */
  fail(code: string): void;
}

/** Options of `withSpan`. */
export interface SpanOptions {
  /** @default {"internal"} */
  readonly kind?: "internal" | "server" | "client";
  readonly attributes?: SpanAttributes;
  /**
   * Headers with the W3C trace context of the parent, or its stored `traceparent`.
   *
   * @default the span that is active
   */
  readonly parent?: Pick<Headers, "get"> | string | undefined;
}

/** Creates spans. */
export interface Tracing {
  withSpan<T>(name: string, options: SpanOptions, run: (span: ActiveSpan) => T): T;
  withoutSpan<T>(run: () => T): T;
  traceparent(): string | undefined;
}

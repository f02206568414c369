import type { Context, Span, SpanKind, TextMapGetter } from "@opentelemetry/api";
import { currentRequest } from "./request_scope.ts";
import type { MetricsRegistry } from "./metrics_registry.ts";

/** Facts about a span: ids, counts and fixed words, never texts, titles or paths. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The part of a span that instrumented code uses. */
export interface ActiveSpan {
  /** Adds attributes. */
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed. An error that is thrown does that as well. */
  fail(code: string): void;
}

/** Options of {@linkcode withSpan}. */
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

/** OpenTelemetry's API, loaded when Deno has switched it on. */
type Api = typeof import("@opentelemetry/api");

interface Tracing {
  readonly api: Api;
  readonly startSpan: (name: string, options: SpanOptions) => { span: Span; context: Context };
}

let tracing: Tracing | undefined;

const INACTIVE: ActiveSpan = { set() {}, fail() {} };

/** Key under which Deno registers its providers for `@opentelemetry/api` 1.x, if `OTEL_DENO=true`. */
const REGISTRATION = Symbol.for("opentelemetry.js.api.1");

/** Whether Deno exports telemetry: `OTEL_DENO=true` at its start, or when an executable was compiled. */
export function isTracingAvailable(): boolean {
  return REGISTRATION in globalThis;
}

/**
 * Begins to create spans, and to export the metrics of a registry, if Deno's OpenTelemetry is switched on. Until
 * then {@linkcode withSpan} only calls its function.
 *
 * @returns Whether it is switched on.
 */
export async function startTracing(metrics: MetricsRegistry): Promise<boolean> {
  if (!isTracingAvailable()) return false;
  const [api, { exportMetrics }] = await Promise.all([
    import("@opentelemetry/api"),
    import("./export_metrics.ts"),
  ]);
  const tracer = api.trace.getTracer("kb-mcp");
  const kinds: Record<NonNullable<SpanOptions["kind"]>, SpanKind> = {
    internal: api.SpanKind.INTERNAL,
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
  };
  tracing = {
    api,
    startSpan(name, { kind = "internal", attributes = {}, parent }) {
      const fields = typeof parent === "string" ? new Headers({ traceparent: parent }) : parent;
      const context = fields
        ? api.propagation.extract(api.ROOT_CONTEXT, fields, HEADERS)
        : api.context.active();
      const requestId = currentRequest()?.id;
      const span = tracer.startSpan(name, {
        kind: kinds[kind],
        attributes: { ...attributes, ...(requestId !== undefined && { "kb.request_id": requestId }) },
      }, context);
      return { span, context: api.trace.setSpan(context, span) };
    },
  };
  exportMetrics(metrics, api.metrics.getMeter("kb-mcp"));
  return true;
}

/**
 * Runs a function in a span, which ends when the function returns, or when the promise that it returned settles.
 *
 * @example
 * ```ts
 * import { withSpan } from "./tracing.ts";
 * import { assertEquals } from "@std/assert";
 * const sum = await withSpan("add", { attributes: { terms: 2 } }, (span) => {
 *   span.set({ "kb.outcome": "ok" });
 *   return Promise.resolve(1 + 1);
 * });
 * assertEquals(sum, 2);
 * ```
 */
export function withSpan<T>(name: string, options: SpanOptions, run: (span: ActiveSpan) => T): T {
  return tracing ? runInSpan(tracing, { name, ...options }, run) : run(INACTIVE);
}

/** Runs a function without an active span: long-lived work does not belong to the request that started it. */
export function withoutSpan<T>(run: () => T): T {
  return tracing ? tracing.api.context.with(tracing.api.ROOT_CONTEXT, run) : run();
}

/** Returns the W3C trace context of the active span, to store it with work that is done later. */
export function currentTraceparent(): string | undefined {
  if (!tracing) return undefined;
  const { api } = tracing;
  const fields: Record<string, string> = {};
  api.propagation.inject(api.context.active(), fields);
  return fields["traceparent"];
}

function runInSpan<T>(
  { api, startSpan }: Tracing,
  { name, ...options }: SpanOptions & { name: string },
  run: (span: ActiveSpan) => T,
): T {
  const { span, context } = startSpan(name, options);
  const active: ActiveSpan = {
    set: (attributes) => void span.setAttributes(attributes),
    fail: (code) => void span.setStatus({ code: api.SpanStatusCode.ERROR, message: code }),
  };
  const failed = (error: unknown) => {
    // Only the class: a message may quote a document.
    active.fail(error instanceof Error ? error.name : "Error");
    span.end();
    throw error;
  };
  let result: T;
  try {
    result = api.context.with(context, () => run(active));
  } catch (error) {
    return failed(error);
  }
  if (result instanceof Promise) {
    return result.then((value) => {
      span.end();
      return value;
    }, failed) as T;
  }
  span.end();
  return result;
}

/** Reads a trace context from headers. Only these two fields are defined (W3C Trace Context §3). */
const HEADERS: TextMapGetter<Pick<Headers, "get">> = {
  keys: () => ["traceparent", "tracestate"],
  get: (headers, name) => headers.get(name) ?? undefined,
};

import type { MetricsRegistry } from "./metrics_registry.ts";
import type { ActiveSpan, SpanOptions, Tracing } from "./span.ts";

/** Set when Deno has switched OpenTelemetry on. */
let tracing: Tracing | undefined;

const INACTIVE: ActiveSpan = { set() {}, fail() {} };

/** Key under which Deno registers its providers for `@opentelemetry/api` 1.x, if `OTEL_DENO=true`. */
const REGISTRATION = Symbol.for("opentelemetry.js.api.1");

/** Whether Deno exports telemetry: `OTEL_DENO=true` at its start, or when an executable was compiled. */
function isTracingAvailable(): boolean {
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
  const { openTelemetry } = await import("./open_telemetry.ts");
  tracing = openTelemetry(metrics);
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
  return tracing ? tracing.withSpan(name, options, run) : run(INACTIVE);
}

/** Runs a function without an active span: long-lived work does not belong to the request that started it. */
export function withoutSpan<T>(run: () => T): T {
  return tracing ? tracing.withoutSpan(run) : run();
}

/** Whether spans are created. */
export function isTracing(): boolean {
  return tracing !== undefined;
}

/** Returns the W3C trace context of the active span, to store it with work that is done later. */
export function currentTraceparent(): string | undefined {
  return tracing?.traceparent();
}

import {
  context,
  metrics as metricsApi,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from "@opentelemetry/api";
import { exportMetrics } from "./export_metrics.ts";
import type { MetricsRegistry } from "./metrics_registry.ts";
import { currentRequest } from "./request_scope.ts";
import type { ActiveSpan, SpanOptions, Tracing } from "./span.ts";

const NAME = "kb-mcp";

const KINDS: Readonly<Record<NonNullable<SpanOptions["kind"]>, SpanKind>> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
};

/** Reads a trace context from headers. Only these two fields are defined (W3C Trace Context §3). */
const HEADERS: TextMapGetter<Pick<Headers, "get">> = {
  keys: () => ["traceparent", "tracestate"],
  get: (headers, name) => headers.get(name) ?? undefined,
};

/**
 * Creates spans with the providers that Deno registers, and exports the metrics of a registry. Loaded only when
 * OpenTelemetry is switched on.
 */
export function openTelemetry(metrics: MetricsRegistry): Tracing {
  const tracer = trace.getTracer(NAME);
  exportMetrics(metrics, metricsApi.getMeter(NAME));
  return {
    withSpan(name, { kind = "internal", attributes = {}, parent }, run) {
      const fields = typeof parent === "string" ? new Headers({ traceparent: parent }) : parent;
      const active = fields ? propagation.extract(ROOT_CONTEXT, fields, HEADERS) : context.active();
      const requestId = currentRequest()?.id;
      const span = tracer.startSpan(name, {
        kind: KINDS[kind],
        attributes: { ...attributes, ...(requestId !== undefined && { "kb.request_id": requestId }) },
      }, active);
      return endAfter(span, (handle) => context.with(trace.setSpan(active, span), () => run(handle)));
    },
    withoutSpan: (run) => context.with(ROOT_CONTEXT, run),
    traceparent() {
      const fields: Record<string, string> = {};
      propagation.inject(context.active(), fields);
      return fields["traceparent"];
    },
  };
}

/** Runs a function and ends the span after it, or after the promise that it returned. */
function endAfter<T>(span: Span, run: (handle: ActiveSpan) => T): T {
  const handle: ActiveSpan = {
    set: (attributes) => void span.setAttributes(attributes),
    fail: (code) => void span.setStatus({ code: SpanStatusCode.ERROR, message: code }),
  };
  const fail = (error: unknown) => {
    // Only the class: a message may quote a document.
    handle.fail(error instanceof Error ? error.name : "Error");
    span.end();
    throw error;
  };
  let result: T;
  try {
    result = run(handle);
  } catch (error) {
    return fail(error);
  }
  if (result instanceof Promise) {
    return result.then((value) => {
      span.end();
      return value;
    }, fail) as T;
  }
  span.end();
  return result;
}

/**
 * Logs, metrics and traces: one line per event, to standard error; metrics in the format of Prometheus; spans
 * through Deno's OpenTelemetry when it is switched on. Never with a secret or the text of a document in them.
 *
 * @module
 */
export { Counter, Histogram, type HistogramOptions, type InstrumentOptions } from "./instruments.ts";
export type { Labels, MeasurementSink, Metric, Sample } from "./instruments.ts";
export { createLogger, type Logger, type LoggerOptions, silentLogger } from "./log.ts";
export type { Fields, LogFormat, LogLevel } from "./log_format.ts";
export {
  DURATION_BUCKETS,
  EXPOSITION_TYPE,
  MetricsRegistry,
  type ObservedOptions,
} from "./metrics_registry.ts";
export {
  currentRequest,
  newRequestId,
  REQUEST_ID_HEADER,
  requestIdOf,
  type RequestScope,
  runForRequest,
} from "./request_scope.ts";
export { runDetached } from "./run_detached.ts";
export type { ActiveSpan, SpanAttributes, SpanOptions, Tracing } from "./span.ts";
export { currentTraceparent, isTracing, startTracing, withSpan } from "./tracing.ts";
export { withoutStack } from "./without_stack.ts";

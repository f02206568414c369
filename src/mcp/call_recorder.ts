import {
  type Counter,
  DURATION_BUCKETS,
  type Fields,
  type Histogram,
  type Logger,
  type MetricsRegistry,
  withSpan,
} from "../telemetry/mod.ts";
import type { Caller, Tool } from "../tools/mod.ts";
import { ErrorCode, JsonRpcError } from "./json_rpc.ts";

/** A call of an MCP method. */
export interface RecordedCall {
  readonly method: string;
  /** The tool of `tools/call`; undefined if no tool has that name. */
  readonly tool?: Tool | undefined;
  readonly caller: Pick<Caller, "key" | "name">;
}

/** How a call ended. */
export interface CallOutcome {
  /** `ok`, or a code from a fixed list such as `version_conflict`. */
  readonly outcome: string;
  /** Ids of what the call was about. */
  readonly ids?: Fields;
}

/** Value of labels for a method or tool that does not exist: clients may send any name. */
const UNKNOWN = "unknown";

const METHODS: ReadonlySet<string> = new Set([
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
]);

/**
 * Records every call: one line in the log, at `info` for tools that write and at `debug` for all others, the
 * metrics, and a span. Never an argument or a result: both contain texts of documents.
 */
export class CallRecorder {
  readonly #log: Logger;
  readonly #logsReads: boolean;
  readonly #calls: Counter;
  readonly #durations: Histogram;
  readonly #keyCalls: Counter;

  constructor(log: Logger, metrics: MetricsRegistry) {
    this.#log = log;
    this.#logsReads = (log.level ?? "debug") === "debug";
    this.#calls = metrics.counter("kb_mcp_requests_total", {
      help: "MCP requests by method, tool and outcome.",
      labels: ["method", "tool", "outcome"],
    });
    this.#durations = metrics.histogram("kb_mcp_request_duration_seconds", {
      help: "Duration of MCP requests.",
      labels: ["method", "tool"],
      buckets: DURATION_BUCKETS,
    });
    this.#keyCalls = metrics.counter("kb_mcp_key_requests_total", {
      help: "MCP requests by the name of the key, on a server with named keys.",
      labels: ["key"],
    });
  }

  /** Runs a call and records it. */
  run<T>(call: RecordedCall, work: () => Promise<T>, outcomeOf: (result: T) => CallOutcome): Promise<T> {
    const startedAt = performance.now();
    const method = methodLabel(call.method);
    const name = call.tool ? `tool ${call.tool.name}` : `mcp ${method}`;
    return withSpan(name, { attributes: { "kb.method": method } }, (span) =>
      work().then((result) => {
        const outcome = outcomeOf(result);
        span.set({ "kb.outcome": outcome.outcome });
        if (outcome.outcome !== "ok") span.fail(outcome.outcome);
        this.record(call, outcome, performance.now() - startedAt);
        return result;
      }, (error) => {
        this.record(call, { outcome: outcomeOfError(error) }, performance.now() - startedAt);
        throw error;
      }));
  }

  /** Records a call that has ended. */
  record(call: RecordedCall, { outcome, ids }: CallOutcome, durationMs: number): void {
    const { tool, caller } = call;
    const method = methodLabel(call.method);
    const toolLabel = method === "tools/call" ? tool?.name ?? UNKNOWN : "";
    this.#calls.add({ method, tool: toolLabel, outcome });
    if (caller.key !== undefined) this.#keyCalls.add({ key: caller.key });
    this.#durations.observe(durationMs / 1000, { method, tool: toolLabel });
    const isWrite = tool !== undefined && !tool.annotations.readOnlyHint;
    if (!isWrite && !this.#logsReads) return;
    this.#log[isWrite ? "info" : "debug"](tool ? "tool called" : "request handled", {
      ...(tool ? { tool: tool.name } : { method }),
      outcome,
      ...ids,
      duration_ms: Math.round(durationMs),
      key: caller.key,
      caller: caller.name,
    });
  }
}

function methodLabel(method: string): string {
  return METHODS.has(method) ? method : UNKNOWN;
}

function outcomeOfError(error: unknown): string {
  if (!(error instanceof JsonRpcError)) return "internal";
  return error.code === ErrorCode.internalError ? "internal" : "invalid";
}

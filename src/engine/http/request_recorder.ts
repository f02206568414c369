import type { Route } from "../../contract/mod.ts";
import {
  type Counter,
  DURATION_BUCKETS,
  type Fields,
  type Histogram,
  type Logger,
  type MetricsRegistry,
  withSpan,
} from "../../telemetry/mod.ts";

/** Facts about a request, filled in while it is handled. */
export class RequestRecord {
  /** Name of its route. */
  name = "other";
  route: Route | undefined;
  /** The `{id}` of the path; 0 without one. */
  id = 0;
  /** Who makes a change. */
  actor: string | undefined;
  /** Body of the response. */
  result: unknown;
}

/** Options of {@linkcode RequestRecorder.run}. */
export interface RecordOptions<T> {
  /** Whether the request comes from this process, whose tool or command logs it. */
  readonly isLocal: boolean;
  /** Returns the code of an error. */
  readonly codeOf: (error: unknown) => string;
  readonly work: () => Promise<T>;
}

/**
 * Records every request of the engine's API: the metrics, a span and, unless it comes from this process, one line
 * in the log, at `info` for changes and at `debug` for all others. Never a parameter: most are texts of documents.
 */
export class RequestRecorder {
  readonly #log: Logger;
  readonly #requests: Counter;
  readonly #durations: Histogram;

  constructor(log: Logger, metrics: MetricsRegistry) {
    this.#log = log;
    this.#requests = metrics.counter("kb_engine_requests_total", {
      help:
        "Requests to the engine by route and outcome, also those from the MCP server in the same process.",
      labels: ["route", "outcome"],
    });
    this.#durations = metrics.histogram("kb_engine_request_duration_seconds", {
      help: "Duration of requests to the engine.",
      labels: ["route"],
      buckets: DURATION_BUCKETS,
    });
  }

  /** Runs a request and records it under what `record` says at its end. */
  run<T>(record: RequestRecord, { isLocal, codeOf, work }: RecordOptions<T>): Promise<T> {
    const startedAt = performance.now();
    return withSpan("engine", {}, (span) => {
      const end = (outcome: string) => {
        const { name } = record;
        const durationMs = performance.now() - startedAt;
        span.set({ "kb.route": name, "kb.outcome": outcome });
        this.#requests.add({ route: name, outcome });
        this.#durations.observe(durationMs / 1000, { route: name });
        if (!isLocal) this.#write(record, outcome, durationMs);
      };
      return work().then((response) => {
        end("ok");
        return response;
      }, (error) => {
        const code = codeOf(error);
        span.fail(code);
        end(code);
        throw error;
      });
    });
  }

  #write(record: RequestRecord, outcome: string, durationMs: number): void {
    const { name, route, actor } = record;
    const isWrite = route !== undefined && !route.safe;
    this.#log[isWrite ? "info" : "debug"]("engine request", {
      route: name,
      outcome,
      ...(isWrite ? idsOf(record, route) : {}),
      duration_ms: Math.round(durationMs),
      caller: actor,
    });
  }
}

/** Returns the ids of the document, source and job of a request. */
function idsOf({ id, result }: RequestRecord, { path }: Route): Fields {
  const { document_id, job_id, source_id } = (result ?? {}) as Fields;
  const isDocument = id > 0 && /\/(?:documents|notes)\/\{id\}/.test(path);
  const isSource = id > 0 && path.includes("/sources/{id}");
  return {
    document_id: document_id ?? (isDocument ? id : undefined),
    source_id: source_id ?? (isSource ? id : undefined),
    job_id,
  };
}

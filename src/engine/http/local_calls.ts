import type { LocalEngine, LocalRequest, LocalResponse, Route, RouteName } from "../../contract/mod.ts";
import { routes } from "../../contract/mod.ts";
import { EncodedJson } from "../../data_structures/mod.ts";
import { currentRequest, type Logger, newRequestId, runForRequest } from "../../telemetry/mod.ts";
import { entityTag, parseIfMatch } from "./conditional_requests.ts";
import { errorCode, errorParts, shuttingDown } from "./errors.ts";
import { parseId, type RouteContext } from "./handlers.ts";
import { type FormOptions, readJobFields } from "./job_form.ts";
import { RequestRecord, type RequestRecorder } from "./request_recorder.ts";
import { validate } from "./validate.ts";

/** What calls of this process share with requests over HTTP. */
export interface LocalCallsOptions {
  readonly handlers: Record<RouteName, (context: RouteContext<never>) => unknown>;
  readonly recorder: RequestRecorder;
  readonly form: FormOptions;
  /** Receives internal errors with their causes. */
  readonly log: Logger;
}

/**
 * Returns the function that serves callers in this process: validation, handlers, records and errors of the HTTP API
 * without `Request`, `Response` and JSON. No authentication: this process has the data directory.
 */
export function createLocalCalls({ handlers, recorder, form, log }: LocalCallsOptions): LocalEngine["call"] {
  async function handle(name: RouteName, request: LocalRequest, record: RequestRecord): Promise<unknown> {
    if (form.signal.aborted) throw shuttingDown();
    const route: Route = routes[name];
    record.route = route;
    const { id, query, json, fields, ifVersion, actor, today, signal } = request;
    const context = {
      signal,
      readJob: () => readJobFields(fields ?? new FormData()),
      isLocal: true,
      id: route.path.includes("{id}") ? parseId(name, String(id)) : 0,
      query: route.query && validate(route.query, queryText(query), "The query"),
      change: {
        ...(ifVersion !== undefined && { ifVersion: parseIfMatch(entityTag(ifVersion)) ?? [] }),
        ...(actor !== undefined && { actor }),
      },
      json: route.json && validate(route.json, json, "The body"),
      today,
    };
    const result = await handlers[name](context as RouteContext<never>);
    return result instanceof EncodedJson ? result.value : result;
  }

  async function respond(name: RouteName, request: LocalRequest): Promise<LocalResponse> {
    const record = new RequestRecord();
    record.name = name;
    try {
      const work = () => handle(name, request, record);
      const body = await recorder.run(record, { isLocal: true, codeOf: errorCode, work });
      return { status: routes[name].status, body };
    } catch (error) {
      const { signal } = request;
      // Nobody receives the response to a cancelled request, and it must not fill the log.
      if (signal.aborted && error === signal.reason) return { status: 499, body: undefined };
      const { status, body, headers } = errorParts(error, log);
      const retryAfter = headers["retry-after"];
      return { status, body, ...(retryAfter !== undefined && { retryAfterMs: 1000 * Number(retryAfter) }) };
    }
  }

  return (name, request) =>
    currentRequest()
      ? respond(name, request)
      : runForRequest({ id: newRequestId() }, () => respond(name, request));
}

/** Converts the fields of a query to text, which the schemas of queries expect. */
function queryText(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const text: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined && value !== null) text[name] = Array.isArray(value) ? value : String(value);
  }
  return text;
}

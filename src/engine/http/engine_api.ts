import { type LocalEngine, openApiDocument, type Route, type RouteName, routes } from "../../contract/mod.ts";
import { EncodedJson } from "../../data_structures/mod.ts";
import { type Logger, MetricsRegistry } from "../../telemetry/mod.ts";
import {
  bearerTokenCheck,
  BodyMemory,
  BodyParser,
  clientAddress,
  type ConnectionInfo,
  encodedJsonResponse,
  FailureLimiter,
  FairShare,
  type HttpRequest,
  MAX_BUFFERED_BYTES,
  metricsRoute,
  type Observation,
  observeRequests,
} from "../../web/mod.ts";
import type { KnowledgeBase, StorageState } from "../knowledge_base/mod.ts";
import { readJson } from "./body.ts";
import { changeOptions } from "./change_options.ts";
import { addEngineMetrics } from "./engine_metrics.ts";
import { entityTag, matchesNone } from "./conditional_requests.ts";
import { errorCode, errorResponse, HttpError, shuttingDown } from "./errors.ts";
import { readJobForm } from "./job_form.ts";
import { createHandlers, parseId, type RouteContext, type Services } from "./handlers.ts";
import { createLocalCalls } from "./local_calls.ts";
import { RequestRecord, RequestRecorder } from "./request_recorder.ts";
import { createRouter } from "./router.ts";
import { RunningWork } from "./running_work.ts";
import { validate } from "./validate.ts";

/** Options of {@linkcode createEngineApi}. */
export interface EngineApiOptions extends Services {
  /** Bearer token that callers must send. Undefined: every caller is accepted. */
  readonly apiKey: string | undefined;
  /** Bearer token of local callers, accepted instead of `apiKey`. Undefined: only this process is local. */
  readonly localToken: string | undefined;
  /** Receives internal errors with their causes. */
  readonly log: Logger;
  /** Served at `/metrics`. @default {new MetricsRegistry()} */
  readonly metrics?: MetricsRegistry;
  /** Bearer token that reads metrics from other machines. */
  readonly metricsToken?: string | undefined;
}

/** The engine's HTTP API as a function from request to response. */
export interface EngineApi extends Pick<LocalEngine, "call"> {
  /**
   * Returns the response to a request. Never rejects: errors become error responses.
   *
   * @param connection Undefined: a request of this process, whose memory its sender limits.
   */
  fetch(request: HttpRequest, connection?: ConnectionInfo): Promise<Response>;
  /** Resolves when no request is in progress. */
  idle(): Promise<void>;
}

/** Routes that are not part of the contract. */
const EXTRA_ROUTES = {
  openapi: { method: "GET", path: "/api/v1/openapi.json" },
  health: { method: "GET", path: "/healthz" },
  liveness: { method: "GET", path: "/livez" },
  readiness: { method: "GET", path: "/readyz" },
  metrics: { method: "GET", path: "/metrics" },
} as const;

/** Paths that need no API key. */
const KEYLESS_PATHS: ReadonlySet<string> = new Set([
  EXTRA_ROUTES.health.path,
  EXTRA_ROUTES.liveness.path,
  EXTRA_ROUTES.readiness.path,
  EXTRA_ROUTES.metrics.path,
]);

/**
 * Creates the HTTP API of a knowledge base: authentication, routing, validation, handlers, error responses.
 */
export function createEngineApi(options: EngineApiOptions): EngineApi {
  const { apiKey, localToken, form, knowledgeBase, log, metrics = new MetricsRegistry() } = options;
  const authenticate = createAuthentication(apiKey, log);
  const hasLocalToken = createLocalTokenCheck(localToken);
  const bodyMemory = new FairShare(MAX_BUFFERED_BYTES);
  const parser = new BodyParser();
  const match = createRouter({ ...routes, ...EXTRA_ROUTES });
  const handlers: Record<RouteName, (context: RouteContext<never>) => unknown> = createHandlers(options);
  const running = new RunningWork();
  const recorder = new RequestRecorder(log, metrics);
  addEngineMetrics(metrics, knowledgeBase);
  const exposeMetrics = metricsRoute({
    metrics,
    token: options.metricsToken,
    isAuthorized: hasLocalToken,
    log,
  });
  let openApiJson: string | undefined;

  async function handle(
    request: HttpRequest,
    { client, connection, memory, record }: {
      readonly client: string;
      readonly connection: ConnectionInfo | undefined;
      readonly memory: BodyMemory | undefined;
      readonly record: RequestRecord;
    },
  ): Promise<Response> {
    const url = URL.parse(request.url);
    // Not an internal error, whose log entry any client could cause: a request target may name any authority.
    if (!url) throw new HttpError("invalid", "The request target must be a valid URL");
    const { pathname, searchParams } = url;
    // A container's health check sends no key, and the responses reveal nothing. Metrics have their own key.
    const isLocal = hasLocalToken(request);
    if (!KEYLESS_PATHS.has(pathname) && !isLocal) authenticate(request, client);
    const { name, id } = match(request.method, pathname);
    record.name = name;
    if (form.signal.aborted) throw shuttingDown();
    if (name === "health" || name === "liveness") return liveness(knowledgeBase);
    if (name === "metrics") return await exposeMetrics(request, connection);
    if (name === "readiness") return readiness(await knowledgeBase.storageState());
    if (name === "openapi") {
      openApiJson ??= JSON.stringify(openApiDocument());
      return encodedJsonResponse(openApiJson);
    }
    const route: Route = routes[name];
    record.route = route;
    const body = memory ? { ...form, memory } : form;
    const context = {
      get signal() {
        return request.signal;
      },
      readJob: () => readJobForm(request, body),
      memory,
      // A request without a connection comes from this process.
      isLocal: isLocal || memory === undefined,
      id: route.path.includes("{id}") ? parseId(name, id, decodeSegment(id)) : 0,
      query: route.query && validate(route.query, queryObject(searchParams), "The query"),
      // Before the body, so that a malformed header is reported without reading it.
      change: changeOptions(request, route),
      json: route.json &&
        validate(route.json, await readJson(request, parser, body, route.bodyLimits), "The body"),
    };
    record.id = context.id;
    record.actor = context.change.actor;
    const result = await handlers[name](context as RouteContext<never>);
    record.result = result;
    return route.etag ? documentResponse(request, route, result) : json(route.status, result);
  }

  async function respond(
    request: HttpRequest,
    connection: ConnectionInfo | undefined,
    observation: Observation,
  ): Promise<Response> {
    const client = clientAddress(connection);
    using memory = connection && new BodyMemory(bodyMemory, client);
    const record = new RequestRecord();
    const response = await recorder.run(record, {
      isLocal: connection === undefined,
      codeOf: errorCode,
      work: () => handle(request, { client, connection, memory, record }),
    }).catch((error) =>
      // Nobody receives the response to a client that has disconnected, and it must not fill the log.
      request.signal.aborted && error === request.signal.reason
        ? new Response(null, { status: 499 })
        : errorResponse(error, log)
    );
    observation.route = record.name;
    // HEAD is GET without the body (RFC 9110 §9.3.2).
    return request.method === "HEAD" ? new Response(null, response) : response;
  }

  const call = createLocalCalls({ handlers, recorder, form, log });
  const observed = observeRequests(respond, { server: "engine", metrics });

  return {
    fetch: (request, connection) => running.add(observed(request, connection)),
    call: (name, request) => running.add(call(name, request)),
    idle: () => running.idle(),
  };
}

/** Returns a function that throws `unauthorized` unless a request has the API key as its bearer token. */
function createAuthentication(
  apiKey: string | undefined,
  log: Logger,
): (request: HttpRequest, client: string) => void {
  if (apiKey === undefined) return () => {};
  const check = bearerTokenCheck([apiKey]);
  const failures = new FailureLimiter();
  return (request, client) => {
    const { status } = check(request.headers.get("authorization"));
    if (status === "valid") return;
    // No error code for a request without credentials (RFC 6750 §3.1).
    if (status === "missing") {
      const message =
        "This engine requires its API key (KB_API_KEY) in the header `Authorization: Bearer KEY`";
      throw new HttpError("unauthorized", message, { headers: { "www-authenticate": "Bearer" } });
    }
    const limited = failures.record(client);
    if (limited) {
      if (limited.isFirst) log.warn("too many requests with a wrong API key", { client });
      throw new HttpError(
        "too_many_attempts",
        "Too many requests with a wrong API key: send the engine's KB_API_KEY",
        { headers: { "retry-after": String(limited.retryAfterSeconds) } },
      );
    }
    throw new HttpError("unauthorized", "The API key is wrong: send the engine's KB_API_KEY", {
      headers: { "www-authenticate": 'Bearer error="invalid_token"' },
    });
  };
}

/** Returns whether a request has the token of local callers. */
function createLocalTokenCheck(localToken: string | undefined): (request: HttpRequest) => boolean {
  if (localToken === undefined) return () => false;
  const check = bearerTokenCheck([localToken]);
  return (request) => check(request.headers.get("authorization")).status === "valid";
}

/** Responds with a document and its entity tag, or with 304 if the client has that version (RFC 9110 §13.1.2). */
function documentResponse({ headers }: HttpRequest, { status, safe }: Route, document: unknown): Response {
  const { version } = document as { version?: number | null };
  if (typeof version !== "number") return json(status, document);
  const etag = entityTag(version);
  return safe && matchesNone(headers.get("if-none-match"), etag)
    ? new Response(null, { status: 304, headers: { ...HEADERS, etag } })
    : json(status, document, { etag });
}

function liveness({ needsRestart }: KnowledgeBase): Response {
  return needsRestart ? json(503, { status: "writer_failed" }) : json(200, { status: "ok" });
}

function readiness(state: StorageState): Response {
  return state === "ok" ? json(200, { status: "ready" }) : json(503, { status: state });
}

/** Headers of every response with data. */
const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

function json(status: number, body: unknown, headers?: Readonly<Record<string, string>>): Response {
  const encoded = body instanceof EncodedJson ? [body.bytes] : JSON.stringify(body);
  return encodedJsonResponse(encoded, { status, headers: { ...HEADERS, ...headers } });
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Converts query parameters to an object. A repeated parameter becomes an array, which the schemas reject.
 */
function queryObject(params: URLSearchParams): Record<string, string | string[]> {
  const names = new Set(params.keys());
  return Object.fromEntries([...names].map((name) => {
    const values = params.getAll(name);
    return [name, values.length === 1 ? values[0] ?? "" : values];
  }));
}

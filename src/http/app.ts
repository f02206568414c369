import { type Answer, AnswerStream, type AnswerStreamKind, type McpDoor, readMessage } from "../mcp/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import { handleUploadPut, type Uploads } from "../uploads/mod.ts";
import { readBody } from "./body.ts";
import { preflight, withCors } from "./cors.ts";
import { Deadlines } from "./deadlines.ts";
import { bearerGuard } from "./guards/bearer.ts";
import { hostGuard } from "./guards/host.ts";
import { originGuard, type OriginPolicy } from "./guards/origin.ts";
import { acceptGuard, contentEncodingGuard, contentTypeGuard, methodGuard } from "./guards/protocol.ts";
import { healthz, readiness, type ReadinessCheck, version } from "./health.ts";
import { refuse } from "./refusal.ts";
import { watchClient } from "./watch_client.ts";

/** What the front needs. */
export interface AppOptions {
  readonly door: McpDoor;
  readonly uploads: Uploads;
  readonly log: Logger;
  /** Accepted bearer tokens; none: every caller is accepted. */
  readonly keys: readonly string[];
  /** Accepted Host headers; undefined: any. */
  readonly allowedHosts: readonly string[] | undefined;
  readonly isAllowedOrigin: OriginPolicy;
  /** Most bytes of a message's body. */
  readonly maxBodyBytes: number;
  /** Time for a body to arrive, in milliseconds. */
  readonly bodyTimeoutMs: number;
  /** Requests in progress at once. */
  readonly maxConcurrent: number;
  /** Base URL to tell callers, without a trailing slash; undefined: as the request was addressed. */
  readonly publicUrl: string | undefined;
  readonly checkReadiness: ReadinessCheck;
}

/** The HTTP front: what `Deno.serve` calls. */
export interface App extends Disposable {
  /** Answers one request; never rejects. */
  fetch(request: Request): Promise<Response>;
  /** From now on `/readyz` says 503, so that a load balancer sends no more. */
  drain(): void;
}

const UPLOAD_PATH = "/uploads/";

/** Builds the HTTP front. All guards are below, in the order in which they apply. */
export function createApp(options: AppOptions): App {
  const { door, uploads, log, maxConcurrent, isAllowedOrigin, bodyTimeoutMs } = options;
  const deadlines = new Deadlines(bodyTimeoutMs);
  const bodyLimits = { maxBytes: options.maxBodyBytes, deadlines };
  const hostRefusal = hostGuard(options.allowedHosts);
  const originRefusal = originGuard(isAllowedOrigin);
  const authenticate = bearerGuard(options.keys);
  let draining = false;
  /** Messages whose bodies are on the way. */
  let receiving = 0;
  /** Calls and uploads that run. */
  let calls = 0;
  const readyz = readiness(options.checkReadiness, () => draining);

  async function mcp(request: Request): Promise<Response> {
    const authentication = authenticate(request);
    if ("refusal" in authentication) return authentication.refusal;
    const refusal = methodGuard(request) ?? contentTypeGuard(request) ?? acceptGuard(request);
    if (refusal) return refusal;
    if (receiving >= maxConcurrent) return busy();
    receiving++;
    const body = await readBody(request, bodyLimits);
    receiving--;
    if ("refusal" in body) return body.refusal;
    const inbound = readMessage(body.bytes);
    const unreadable = inbound.kind === "invalid" ? contentEncodingGuard(request) : undefined;
    if (unreadable) return unreadable;
    // A notification may be what relieves a server that is busy: it cancels a call.
    if (inbound.kind === "request" && calls >= maxConcurrent) return busy();
    const baseUrl = options.publicUrl ?? originOf(request.url);
    calls++;
    let answer: Answer | undefined;
    try {
      answer = await door.handle(inbound, {
        caller: { id: authentication.callerId },
        baseUrl,
        headers: request.headers,
        watchClient: (watcher) => watchClient(request, watcher),
      });
      return toResponse(answer);
    } finally {
      // A call goes on while its answer has only begun, and even when its client left.
      if (answer?.body instanceof AnswerStream) answer.body.ended.then(() => calls--);
      else calls--;
    }
  }

  async function upload(request: Request, path: string): Promise<Response> {
    // The capability in the path is the authorisation: a curl line that a model passes on carries no token.
    if (request.method !== "PUT") {
      return refuse(405, "Method not allowed: send the file by PUT", { headers: { allow: "PUT, OPTIONS" } });
    }
    if (calls >= maxConcurrent) return busy();
    const capability = path.slice(UPLOAD_PATH.length);
    calls++;
    try {
      return await handleUploadPut(request, uploads, capability, { bodyTimeoutMs });
    } finally {
      calls--;
    }
  }

  function busy(): Response {
    return refuse(503, `Busy: ${maxConcurrent} requests are in progress, try again in a moment`, {
      headers: { "retry-after": "1" },
    });
  }

  function guarded(request: Request, path: string): Promise<Response> | Response {
    // Looking a header up costs as much as most guards; only browsers send this one.
    const isPage = request.headers.has("origin");
    const refusal = hostRefusal(request) ?? (isPage ? originRefusal(request) : undefined);
    if (refusal) return refusal;
    if (request.method === "OPTIONS") return preflight(request, isAllowedOrigin);
    const response = path === "/mcp" ? mcp(request) : upload(request, path);
    return isPage ? response.then((answer) => withCors(request, answer, isAllowedOrigin)) : response;
  }

  function route(request: Request): Promise<Response> | Response {
    const path = pathOf(request.url);
    if (path === "/mcp" || path.startsWith(UPLOAD_PATH)) return guarded(request, path);
    if (request.method === "GET" || request.method === "HEAD") {
      // Probes address a container by its IP, so the Host is not checked; nothing here is worth protecting.
      if (path === "/healthz") return healthz();
      if (path === "/readyz") return readyz();
      if (path === "/version") return version();
    }
    return refuse(404, "Not found: the MCP endpoint is POST /mcp");
  }

  return {
    async fetch(request) {
      try {
        return await route(request);
      } catch (error) {
        log.error("request failed", { error });
        return refuse(500, "Internal error: the server's log says more");
      }
    },
    drain() {
      draining = true;
    },
    [Symbol.dispose]() {
      deadlines[Symbol.dispose]();
    },
  };
}

const JSON_HEADERS = { "content-type": "application/json" };
/** Of answers that have only begun: no proxy should keep them back (MCP 2026-07-28, Receiving Messages). */
const STREAM_HEADERS: Readonly<Record<AnswerStreamKind, Record<string, string>>> = {
  events: streamHeaders("text/event-stream"),
  json: streamHeaders("application/json"),
};

function streamHeaders(type: string): Record<string, string> {
  return { "content-type": type, "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" };
}

function toResponse({ status, body, sessionId }: Answer): Response {
  if (body === null) return new Response(null, { status });
  if (body instanceof AnswerStream) {
    return new Response(body.body, { status, headers: STREAM_HEADERS[body.kind] });
  }
  const headers = sessionId === undefined ? JSON_HEADERS : { ...JSON_HEADERS, "mcp-session-id": sessionId };
  return new Response(body, { status, headers });
}

/** The path of an absolute URL, as it was sent. `new URL` would cost more than all guards together. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

function originOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return start < 0 ? url : url.slice(0, start);
}

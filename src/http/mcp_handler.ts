import {
  type Dispatcher,
  type McpResponse,
  parseMessage,
  ResponseStream,
  type ResponseStreamKind,
} from "../mcp/mod.ts";
import { BodyError, type BodyLimits, readBytes } from "../web/mod.ts";
import { watchClient } from "./client_watch.ts";
import type { ConcurrencyLimiter } from "./concurrency_limiter.ts";
import { errorResponse } from "./error_response.ts";
import type { Handler } from "./middleware/compose.ts";

/** Options of {@linkcode mcpHandler}. */
export interface McpHandlerOptions {
  readonly dispatcher: Dispatcher;
  readonly bodyLimits: BodyLimits;
  /** Limits the messages whose bodies are being received. */
  readonly receiving: ConcurrencyLimiter;
  /** Limits the requests that run. */
  readonly running: ConcurrencyLimiter;
  /** Base URL for callers; undefined: the Host header, which has been checked. */
  readonly publicUrl: string | undefined;
}

/** Returns the handler of `POST /mcp`: reads a message, dispatches it and sends the response. */
export function mcpHandler(options: McpHandlerOptions): Handler {
  const { dispatcher, bodyLimits, receiving, running, publicUrl } = options;
  return async (request, { callerId = "anonymous" }) => {
    if (!receiving.tryAcquire()) return receiving.busyResponse();
    let body: Uint8Array;
    try {
      body = await readBytes(request, bodyLimits);
    } catch (error) {
      if (error instanceof BodyError) return rejectBody(error, bodyLimits);
      throw error;
    } finally {
      receiving.release();
    }
    const message = parseMessage(body);
    if (message.kind === "invalid" && request.headers.has("content-encoding")) {
      return errorResponse(415, "Unsupported content encoding: send the body without Content-Encoding");
    }
    const context = {
      caller: { id: callerId },
      // Not the request's URL: a target in absolute form names any host (RFC 9112 §3.2.2), and the base URL
      // becomes part of upload links.
      baseUrl: publicUrl ?? `http://${request.headers.get("host") ?? "localhost"}`,
      headers: request.headers,
      watchClient: (watcher: Parameters<typeof watchClient>[1]) => watchClient(request, watcher),
    };
    // Not limited: notifications take no time, and one that cancels a request relieves a busy server.
    if (message.kind !== "request") return toHttpResponse(await dispatcher.handle(message, context));
    if (!running.tryAcquire()) return running.busyResponse();
    let ended: Promise<void> | undefined;
    try {
      const response = await dispatcher.handle(message, context);
      // The request may run on while its response is streamed, and after its client has disconnected.
      if (response.body instanceof ResponseStream) ended = response.body.ended;
      return toHttpResponse(response);
    } finally {
      if (ended) ended.then(() => running.release());
      else running.release();
    }
  };
}

/** Closes the connection, because the rest of the body is not read. */
function rejectBody({ code }: BodyError, { maxBytes }: BodyLimits): Response {
  const options = { headers: { connection: "close" } };
  if (code === "too_large") {
    const message = `Content too large: the body must be at most ${Math.floor(maxBytes / 1024)} KiB ` +
      "(KB_MCP_MAX_BODY). Send files in chunks with kb_upload_start";
    return errorResponse(413, message, options);
  }
  if (code === "timeout") {
    const message = "Request timeout: the body did not arrive in time (KB_MCP_BODY_TIMEOUT)";
    return errorResponse(408, message, options);
  }
  return errorResponse(400, "Bad request: the connection broke before the end of the body", options);
}

const JSON_HEADERS = { "content-type": "application/json" };
/** Proxies must not buffer a response that has only begun (MCP 2026-07-28, Receiving Messages). */
const STREAM_HEADERS: Readonly<Record<ResponseStreamKind, Record<string, string>>> = {
  events: streamHeaders("text/event-stream"),
  json: streamHeaders("application/json"),
};

function streamHeaders(type: string): Record<string, string> {
  return { "content-type": type, "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" };
}

function toHttpResponse({ status, body, sessionId }: McpResponse): Response {
  if (body === null) return new Response(null, { status });
  if (body instanceof ResponseStream) {
    return new Response(body.body, { status, headers: STREAM_HEADERS[body.kind] });
  }
  const headers = sessionId === undefined ? JSON_HEADERS : { ...JSON_HEADERS, "mcp-session-id": sessionId };
  return new Response(body, { status, headers });
}

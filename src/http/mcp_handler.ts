import {
  type Dispatcher,
  ErrorCode,
  type McpResponse,
  parseMessage,
  ResponseStream,
  type ResponseStreamKind,
} from "../mcp/mod.ts";
import {
  BodyError,
  type BodyLimits,
  BodyMemory,
  BodyParser,
  type FairShare,
  readBytes,
  TextResponse,
} from "../web/mod.ts";
import { busyResponse } from "./busy_response.ts";
import { watchClient } from "./client_watch.ts";
import { errorResponse } from "./error_response.ts";
import type { Handler } from "./middleware/compose.ts";

/** Options of {@linkcode mcpHandler}. */
export interface McpHandlerOptions {
  readonly dispatcher: Dispatcher;
  readonly bodyLimits: BodyLimits;
  /** Memory for bodies, in bytes. */
  readonly bodyMemory: FairShare;
  /** Slots of running requests. */
  readonly running: FairShare;
  /** Base URL for callers; undefined: the Host header, which has been checked. */
  readonly publicUrl: string | undefined;
}

/**
 * Returns the handler of `POST /mcp`: reads a message, dispatches it and sends the response.
 *
 * A request takes a slot when its body has arrived: a client that announces bodies and does not send them
 * blocks nobody.
 */
export function mcpHandler(options: McpHandlerOptions): Handler {
  const { dispatcher, bodyLimits, bodyMemory, running, publicUrl } = options;
  const parser = new BodyParser();

  return async (request, { client, caller }) => {
    // Without the middleware that authenticates, nobody may do anything.
    if (!caller) throw new Error("Cannot handle a message: its caller must be authenticated first");
    const memory = new BodyMemory(bodyMemory, client);
    let hasSlot = false;
    const release = () => {
      memory[Symbol.dispose]();
      if (hasSlot) running.release(client);
    };
    let ended: Promise<void> | undefined;
    try {
      const message = await parser.parse(await readBytes(request, { ...bodyLimits, memory }), parseMessage);
      if (message.kind === "invalid" && request.headers.has("content-encoding")) {
        return errorResponse(415, "Unsupported content encoding: send the body without Content-Encoding");
      }
      // Not limited: notifications take no time, and one that cancels a request relieves a busy server.
      if (message.kind === "request" && !(hasSlot = running.tryTake(client))) return busyResponse(running);
      const response = await dispatcher.handle(message, {
        caller,
        // Not the request's URL: a target in absolute form names any host (RFC 9112 §3.2.2), and the base URL
        // becomes part of upload links.
        baseUrl: publicUrl ?? `http://${request.headers.get("host") ?? "localhost"}`,
        headers: request.headers,
        watchClient: (watcher) => watchClient(request, watcher),
        reserveMemory: (bytes) => memory.tryGrow(bytes),
      });
      // The request may run on while its response is streamed, and after its client has disconnected.
      if (response.body instanceof ResponseStream) ended = response.body.ended;
      return toHttpResponse(response);
    } catch (error) {
      if (error instanceof BodyError) return rejectBody(error, bodyLimits);
      throw error;
    } finally {
      if (ended) ended.then(release);
      else release();
    }
  };
}

/** Closes the connection, because the rest of the body is not read. */
function rejectBody({ code, message }: BodyError, { maxBytes }: BodyLimits): Response {
  const headers = { connection: "close" };
  switch (code) {
    case "too_large": {
      const message = `Content too large: the body must be at most ${Math.floor(maxBytes / 1024)} KiB ` +
        "(KB_MCP_MAX_BODY). Send files in chunks with kb_upload_start";
      return errorResponse(413, message, { headers });
    }
    case "timeout": {
      const message = "Request timeout: the body did not arrive in time (KB_MCP_BODY_TIMEOUT)";
      return errorResponse(408, message, { headers });
    }
    case "too_complex":
      return errorResponse(400, `Invalid request: ${message}`, { headers, code: ErrorCode.invalidRequest });
    case "busy":
      return errorResponse(503, `Busy: ${message}, try again in a moment`, {
        headers: { ...headers, "retry-after": "1" },
      });
    default:
      return errorResponse(400, "Bad request: the connection broke before the end of the body", { headers });
  }
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
  return new TextResponse(body, { status, headers });
}

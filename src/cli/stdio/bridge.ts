import {
  ErrorCode,
  errorMessage,
  type IncomingMessage,
  type JsonRpcRequest,
  type Params,
  parseMessage,
  type RequestId,
} from "../../mcp/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { NAME, VERSION } from "../../version.ts";
import { fetchOnce } from "../../web/mod.ts";
import { rootCause } from "../healthcheck.ts";
import { keyRejected } from "../mcp_client.ts";
import { findId } from "./find_id.ts";
import type { LongLine } from "./lines.ts";
import { productOf, requestHeaders, type Session, versionOf } from "./request_headers.ts";
import { responseMessages } from "./response_messages.ts";

/** Options of {@linkcode Bridge}. */
export interface BridgeOptions {
  /** MCP endpoint of the server. */
  readonly url: string;
  /** Its bearer token. */
  readonly key?: string | undefined;
  /** Writes a message to the client, as JSON without line breaks. */
  readonly write: (json: string) => void;
  readonly log: Logger;
}

/** Maximum length of a message of the server, in UTF-16 code units. */
const MAX_RESPONSE_CHARS = 64 * 1024 * 1024;

const encoder = new TextEncoder();

/** A request without a response. */
interface RunningRequest {
  readonly abort: AbortController;
  /** Whether the client cancels by ending the HTTP request (MCP 2026-07-28, Cancellation). */
  readonly endsByAbort: boolean;
  isCancelled: boolean;
}

/**
 * Forwards the messages of a stdio client to a server over Streamable HTTP, in parallel, and writes the responses and
 * notifications that come back. Works with every protocol version: it forwards messages as they are, and adds only the
 * headers that HTTP requires.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #session: Session = {};
  readonly #running = new Map<RequestId, RunningRequest>();
  readonly #pending = new Set<Promise<void>>();

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  /** Forwards a message. Returns at once; its response is written later. */
  receive(line: string): void {
    const message = parseMessage(encoder.encode(line));
    const forwarded = this.#forward(message, line);
    this.#pending.add(forwarded);
    forwarded.finally(() => this.#pending.delete(forwarded));
  }

  /** Reports a line that was not read. */
  rejectLine({ start, end }: LongLine, maxBytes: number): void {
    const error = {
      code: ErrorCode.invalidRequest,
      message: `Invalid request: a message must be at most ${Math.floor(maxBytes / 1024)} KiB ` +
        "(KB_MCP_MAX_BODY). Send files in chunks with kb_upload_start",
    };
    this.#writeError(error, findId(start, end));
  }

  /** Resolves when every request has its response. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Ends all running requests without a response. */
  close(): void {
    for (const request of this.#running.values()) {
      request.isCancelled = true;
      request.abort.abort();
    }
  }

  async #forward(message: IncomingMessage, line: string): Promise<void> {
    switch (message.kind) {
      case "request":
        return await this.#forwardRequest(message.request, line);
      case "notification":
        return await this.#forwardNotification(message.method, message.params, line);
      case "invalid":
        return this.#writeError(message.error, message.id ?? idOfBrokenJson(message.error, line));
      case "response":
        // The server sends no requests.
        return;
    }
  }

  async #forwardRequest(request: JsonRpcRequest, line: string): Promise<void> {
    const { id, method, params } = request;
    const running: RunningRequest = {
      abort: new AbortController(),
      endsByAbort: versionOf(params) !== undefined,
      isCancelled: false,
    };
    this.#running.set(id, running);
    if (method === "initialize") this.#session.client = productOf(params);
    try {
      const response = await this.#post(line, request, running.abort.signal);
      if (!response.ok) return this.#writeStatus(response.status, await response.text(), id);
      let hasResponse = false;
      for await (const text of responseMessages(response, { maxChars: MAX_RESPONSE_CHARS })) {
        if (running.isCancelled) break;
        hasResponse ||= this.#relay(text, request, response.headers);
      }
      if (hasResponse || running.isCancelled) return;
      this.#writeError({ code: ErrorCode.internalError, message: "The server sent no response" }, id);
    } catch (error) {
      if (running.isCancelled) return;
      const reason = rootCause(error as Error);
      this.#options.log.warn("a request failed", { method, error });
      const message = `Cannot reach ${this.#options.url}: ${reason}. Check that the server runs`;
      this.#writeError({ code: ErrorCode.rejected, message }, id);
    } finally {
      if (this.#running.get(id) === running) this.#running.delete(id);
    }
  }

  async #forwardNotification(method: string, params: Params, line: string): Promise<void> {
    if (method === "notifications/cancelled") {
      const request = this.#running.get(params["requestId"] as RequestId);
      if (request) request.isCancelled = true;
      if (request?.endsByAbort) return request.abort.abort();
    }
    try {
      const response = await this.#post(line, { method, params });
      await response.body?.cancel();
    } catch (error) {
      this.#options.log.warn("a notification was not delivered", { method, error });
    }
  }

  async #post(
    body: string,
    message: Pick<JsonRpcRequest, "method" | "params">,
    signal?: AbortSignal,
  ): Promise<Response> {
    const { url, key } = this.#options;
    const { client } = this.#session;
    const send = message.method === "tools/call" ? fetchOnce : fetch;
    return await send(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "user-agent": `${client === undefined ? "" : `${client} `}${NAME}/${VERSION}`,
        ...requestHeaders(message, this.#session),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body,
      // A redirect would carry the key to another address.
      redirect: "error",
      ...(signal && { signal }),
    });
  }

  /** Writes a message of the server. Returns whether it is the response to the request. */
  #relay(text: string, request: JsonRpcRequest, headers: Headers): boolean {
    // Parsed, because a proxy may format JSON with line breaks.
    const message = JSON.parse(text);
    this.#options.write(text.includes("\n") ? JSON.stringify(message) : text);
    if (message.id !== request.id || message.method !== undefined) return false;
    const version = message.result?.protocolVersion;
    if (request.method === "initialize" && typeof version === "string") {
      this.#session.version = version;
      this.#session.id = headers.get("mcp-session-id") ?? undefined;
    }
    return true;
  }

  /** Writes the error of a response with an error status, with the id that HTTP made unnecessary. */
  #writeStatus(status: number, body: string, id: RequestId): void {
    const { url } = this.#options;
    let message: string;
    let code: number = ErrorCode.rejected;
    let data: unknown;
    try {
      ({ code, message, data } = JSON.parse(body).error);
    } catch {
      message = `${url} returned status ${status}`;
    }
    if (status === 401) message = keyRejected(url, body);
    this.#writeError({ code, message: String(message), data }, id);
  }

  #writeError(error: { code: number; message: string; data?: unknown }, id?: RequestId): void {
    this.#options.write(errorMessage(error, id));
  }
}

function idOfBrokenJson({ code }: { code: number }, line: string): RequestId | undefined {
  return code === ErrorCode.parseError ? findId(line) : undefined;
}

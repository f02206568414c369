import type { Text } from "../text/mod.ts";

/** A response to one HTTP request with an MCP message. */
export interface McpResponse {
  readonly status: 200 | 202 | 400 | 404;
  /** JSON text, a stream that has begun, or null for an empty body. */
  readonly body: Text | ResponseStream | null;
  /** The new session id of an `initialize` response (MCP 2025-11-25, Session Management). */
  readonly sessionId?: string;
  /** Whether a request was rejected before it ran. */
  readonly isRejected?: true;
}

/** Content type of a {@linkcode ResponseStream}: Server-Sent Events or JSON. */
export type ResponseStreamKind = "events" | "json";

/** Interval of keep-alive bytes, so that proxies do not close an idle stream, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;
/** Maximum number of notifications that are queued for a slow reader; further ones are dropped. */
const MAX_QUEUED = 16;

/** Length of a part of a large response, in UTF-16 code units. */
const PART_CHARS = 64 * 1024;
/** Maximum number of queued parts. */
const MAX_QUEUED_PARTS = 2;

const encoder = new TextEncoder();
/** An SSE comment; white space before a JSON text (RFC 8259 §2). Parsers skip both. */
const KEEP_ALIVE = { events: encoder.encode(": keep-alive\n\n"), json: encoder.encode(" ") } as const;

/**
 * The body of a response that begins before the result is known: Server-Sent Events (WHATWG HTML §9.2) with
 * the request's notifications and then its response, or JSON with the response alone.
 */
export class ResponseStream {
  readonly kind: ResponseStreamKind;
  /** The bytes, for the body of an HTTP response. */
  readonly body: ReadableStream<Uint8Array>;
  /**
   * Resolves when the request has ended, which may be long after its client disconnected, and the response
   * has left this object.
   */
  readonly ended: Promise<void>;
  readonly #end: () => void;
  readonly #keepAlive: ReturnType<typeof setInterval>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Text of the response that is not encoded yet. */
  #rest = "";
  #hasEnded = false;

  /** @param onDisconnect Called when the client disconnects before the end. */
  constructor(kind: ResponseStreamKind, onDisconnect: () => void) {
    this.kind = kind;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#sendRest(),
      cancel: () => {
        this.#stop();
        if (this.#hasEnded) this.#end();
        else onDisconnect();
      },
    }, new CountQueuingStrategy({ highWaterMark: MAX_QUEUED }));
    this.#keepAlive = setInterval(() => this.#enqueueIfReady(KEEP_ALIVE[kind]), KEEP_ALIVE_MS);
    Deno.unrefTimer(this.#keepAlive);
  }

  /** Sends a notification, unless the stream is JSON or the queue of a slow reader is full. */
  notify(json: string): void {
    if (this.kind === "events") this.#enqueueIfReady(encoder.encode(formatEvent(json)));
  }

  /** Sends the response, if there is one, and ends the stream. */
  end(json?: string): void {
    this.#hasEnded = true;
    clearInterval(this.#keepAlive);
    if (!this.#controller) return this.#end();
    if (json !== undefined) this.#rest = this.kind === "events" ? formatEvent(json) : json;
    // A small response is sent even if the queue of a slow reader is full.
    if (this.#rest.length <= PART_CHARS) this.#sendPart();
    this.#sendRest();
  }

  /** Encodes the response as fast as the client reads it: a slow reader holds its text and a few parts. */
  #sendRest(): void {
    if (!this.#hasEnded) return;
    const isQueueShort = () => (this.#controller?.desiredSize ?? 0) > MAX_QUEUED - MAX_QUEUED_PARTS;
    while (this.#rest !== "" && isQueueShort()) this.#sendPart();
    if (this.#rest !== "" || !this.#controller) return;
    this.#controller.close();
    this.#stop();
    this.#end();
  }

  #sendPart(): void {
    if (this.#rest === "") return;
    // A surrogate pair must not be split.
    const isSplit = /[\ud800-\udbff]/.test(this.#rest.charAt(PART_CHARS - 1));
    const length = isSplit ? PART_CHARS - 1 : PART_CHARS;
    const part = this.#rest.slice(0, length);
    // Before `enqueue`, which calls `pull` at once when a reader waits.
    this.#rest = this.#rest.slice(length);
    this.#controller?.enqueue(encoder.encode(part));
  }

  #enqueueIfReady(bytes: Uint8Array): void {
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#controller?.enqueue(bytes);
  }

  #stop(): void {
    this.#controller = undefined;
    this.#rest = "";
    clearInterval(this.#keepAlive);
  }
}

/** One `data` line is enough: JSON text has no line breaks. */
function formatEvent(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}

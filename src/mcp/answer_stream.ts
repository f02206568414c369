/** How an answer that begins before it is known is written. */
export type AnswerStreamKind = "events" | "json";

/** Time between two signs of life that keep proxies from closing a quiet stream, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;
/** Notifications that wait for a slow reader; what is more is dropped. */
const MOST_WAITING = 16;

const encoder = new TextEncoder();
/** A comment; and white space before a JSON text (RFC 8259 §2), which its reader passes over. */
const KEEP_ALIVE = { events: encoder.encode(": keep-alive\n\n"), json: encoder.encode(" ") } as const;

/**
 * The answer to one request that begins before it is known: as Server-Sent Events (WHATWG HTML §9.2), with the
 * notifications that belong to it and then the response, or as JSON, with the response alone.
 */
export class AnswerStream {
  readonly kind: AnswerStreamKind;
  /** The bytes, for the body of an HTTP response. */
  readonly body: ReadableStream<Uint8Array>;
  /** Resolves once the request has ended, which may be long after its client went away. */
  readonly ended: Promise<void>;
  readonly #end: () => void;
  readonly #keepAlive: ReturnType<typeof setInterval>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  /** @param onDisconnect Called when the client goes away before the end. */
  constructor(kind: AnswerStreamKind, onDisconnect: () => void) {
    this.kind = kind;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#stop();
        onDisconnect();
      },
    }, new CountQueuingStrategy({ highWaterMark: MOST_WAITING }));
    this.#keepAlive = setInterval(() => this.#offer(KEEP_ALIVE[kind]), KEEP_ALIVE_MS);
    Deno.unrefTimer(this.#keepAlive);
  }

  /** Sends a notification, unless there is no place for one, or the client is slow and has older ones to read. */
  notify(json: string): void {
    if (this.kind === "events") this.#offer(event(json));
  }

  /** Sends the response, if there is one, and ends the stream. */
  end(json?: string): void {
    if (json !== undefined) {
      this.#controller?.enqueue(this.kind === "events" ? event(json) : encoder.encode(json));
    }
    this.#controller?.close();
    this.#stop();
    this.#end();
  }

  #offer(bytes: Uint8Array): void {
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#controller?.enqueue(bytes);
  }

  #stop(): void {
    this.#controller = undefined;
    clearInterval(this.#keepAlive);
  }
}

/** JSON text has no line breaks outside of its strings, and escaped ones within. */
function event(json: string): Uint8Array {
  return encoder.encode(`event: message\ndata: ${json}\n\n`);
}

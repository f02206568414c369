/** Time between two comments that keep proxies from closing a quiet stream, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

const encoder = new TextEncoder();
const KEEP_ALIVE = encoder.encode(": keep-alive\n\n");

/**
 * The answer to one request as Server-Sent Events (WHATWG HTML §9.2): notifications that belong to it, then its
 * response.
 */
export class EventStream {
  /** The bytes, for the body of an HTTP response. */
  readonly body: ReadableStream<Uint8Array>;
  /** Resolves when nothing is sent any more: the response went out, or the client went away. */
  readonly ended: Promise<void>;
  readonly #end: () => void;
  readonly #keepAlive: ReturnType<typeof setInterval>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  /** @param onDisconnect Called when the client goes away before the end. */
  constructor(onDisconnect: () => void) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
    // Some events may wait for a slow reader; what is more is dropped, except for the response.
    const strategy = new CountQueuingStrategy({ highWaterMark: 16 });
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#close();
        onDisconnect();
      },
    }, strategy);
    this.#keepAlive = setInterval(() => this.#offer(KEEP_ALIVE), KEEP_ALIVE_MS);
    Deno.unrefTimer(this.#keepAlive);
  }

  /** Sends a notification, unless the client is slow to read: then it has older ones to read. */
  notify(json: string): void {
    this.#offer(event(json));
  }

  /** Sends the response, if there is one, and ends the stream. */
  end(json?: string): void {
    if (json !== undefined) this.#controller?.enqueue(event(json));
    this.#controller?.close();
    this.#close();
  }

  #offer(bytes: Uint8Array): void {
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#controller?.enqueue(bytes);
  }

  #close(): void {
    this.#controller = undefined;
    clearInterval(this.#keepAlive);
    this.#end();
  }
}

/** JSON text has no line breaks outside of its strings, and escaped ones within. */
function event(json: string): Uint8Array {
  return encoder.encode(`event: message\ndata: ${json}\n\n`);
}

import type { Answer } from "./answer.ts";
import { EventStream } from "./event_stream.ts";
import { errorMessage, type RequestId, RPC } from "./json_rpc.ts";

/** Where a result carries its own JSON text. `JSON.stringify` passes symbols over; a WeakMap costs the collector. */
const JSON_TEXT = Symbol("JSON text");

interface Serialized {
  [JSON_TEXT]?: string | undefined;
}

/**
 * Gives a result object its JSON text, to be sent instead of serialising it: for one that is answered again and
 * again, and for one whose parts were serialised already.
 */
export function serialized<Result extends object>(result: Result, json: string | undefined): Result {
  (result as Serialized)[JSON_TEXT] = json;
  return result;
}

/** A message that a protocol server sends. */
export interface Outgoing {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A request whose answer is awaited. */
interface Exchange {
  /** The id that the client chose; it may equal that of any other client. */
  readonly clientId: RequestId;
  /** Whether the client reads a stream of events; asked when there is need. */
  readonly streams: () => boolean;
  readonly answer: (answer: Answer) => void;
  readonly onEnd: (() => void) | undefined;
  readonly watch: (() => () => void) | undefined;
  /** The tick in which it came. */
  readonly tick: number;
  stream: EventStream | undefined;
  /** Stops the watching, once it is watched. */
  stop: (() => void) | undefined;
}

/** What is to be known of a request before it is handed over. */
export interface ExchangeRequest {
  /** The id that its client gave it. */
  readonly clientId: RequestId;
  /** Whether the client reads a stream of events, so that notifications may go out before the answer. */
  readonly streams: () => boolean;
  /** Called when the request has had its answer, or will never have one. */
  readonly onEnd?: (() => void) | undefined;
  /**
   * Called when the request has not been answered for a while: to look whether its client is still there, which is too
   * dear to be done for requests that are answered at once.
   *
   * @returns Called when the request has ended.
   */
  readonly watch?: (() => () => void) | undefined;
}

/** Requests are watched from their second tick on, that is after 10 to 20 milliseconds. */
const TICK_MS = 10;

/** What differs between the eras. */
export interface ExchangeOptions {
  /** HTTP status of an answer that is an error. */
  readonly statusOf: (code: unknown) => Answer["status"];
  /** Aborts a request within the protocol server. */
  readonly abort: (id: number) => void;
  /** Whether a client that goes away cancels its request. */
  readonly disconnectCancels: boolean;
}

/**
 * The requests in progress of one long-lived protocol server, between HTTP and its in-process transport.
 *
 * All clients share the protocol server, and clients number their requests alike, from 0 or 1. So every request
 * gets an id of ours on the way in, and its client's own id back on the way out: no two clients can meet. Building a
 * server and a transport per request, which is the usual way, costs 5–15 times as much as the socket itself.
 *
 * An answer is JSON, and becomes a stream of events with the first notification that goes out before it.
 */
export class Exchanges {
  readonly #open = new Map<number, Exchange>();
  readonly #options: ExchangeOptions;
  #closed = false;
  #tick = 0;
  #ticking: ReturnType<typeof setInterval> | undefined;
  // From 1: the SDK's protocol server takes an id of 0 for none when it is cancelled.
  #nextId = 1;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** Requests that wait for their answer. */
  get pending(): number {
    return this.#open.size;
  }

  /**
   * Gives a request an id of ours.
   *
   * @param deliver Hands the request to the protocol server under our id; the answer comes by {@linkcode send}.
   * @returns Resolves to the answer, or to the beginning of its stream.
   */
  exchange(
    { clientId, streams, onEnd, watch }: ExchangeRequest,
    deliver: (id: number) => void,
  ): Promise<Answer> {
    if (this.#closed) return Promise.reject(new Error("The protocol server is closed"));
    return new Promise((resolve) => {
      const id = this.#nextId++;
      const answer = resolve;
      const tick = this.#tick;
      this.#open.set(id, {
        clientId,
        streams,
        answer,
        onEnd,
        watch,
        tick,
        stream: undefined,
        stop: undefined,
      });
      if (watch && this.#ticking === undefined) this.#ticking = setInterval(() => this.#watchOld(), TICK_MS);
      deliver(id);
    });
  }

  /**
   * Takes what the protocol server sends. A response without its request is dropped: it was cancelled.
   *
   * @param relatedId The request that a notification belongs to.
   */
  send(message: Outgoing, relatedId: unknown): void {
    if (message.method === undefined) this.#respond(message);
    else this.#notify(message, relatedId);
  }

  /** Begins the answer to a request as a stream, if its client reads one, before there is anything to say. */
  begin(id: number): void {
    const exchange = this.#open.get(id);
    if (!exchange || exchange.stream || !exchange.streams()) return;
    exchange.stream = new EventStream(() => {
      if (this.#options.disconnectCancels) this.cancel(id);
    });
    exchange.answer({ status: 200, body: exchange.stream });
  }

  /** Ends a request without a response, and aborts its work; the client does not wait for it any more. */
  cancel(id: number): void {
    const exchange = this.#take(id);
    if (!exchange) return;
    this.#options.abort(id);
    if (exchange.stream) {
      exchange.stream.end();
      return;
    }
    // No response is to be sent (MCP 2025-11-25, Cancellation), and an empty stream is an HTTP response without one.
    if (exchange.streams()) {
      const stream = new EventStream(() => {});
      stream.end();
      exchange.answer({ status: 200, body: stream });
    } else {
      const error = errorMessage(RPC.refused, "The request was cancelled", exchange.clientId);
      exchange.answer({ status: 200, body: error });
    }
  }

  /** Whoever still waits is told. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#ticking);
    for (const [id, exchange] of this.#open) {
      this.#take(id);
      settle(
        exchange,
        200,
        errorMessage(
          RPC.internalError,
          "The server is shutting down, send the request again later",
          exchange.clientId,
        ),
      );
    }
  }

  #take(id: number): Exchange | undefined {
    const exchange = this.#open.get(id);
    if (exchange) {
      this.#open.delete(id);
      exchange.onEnd?.();
      exchange.stop?.();
    }
    return exchange;
  }

  #watchOld(): void {
    this.#tick++;
    // In the order in which they came.
    for (const exchange of this.#open.values()) {
      if (exchange.tick > this.#tick - 2) return;
      exchange.stop ??= exchange.watch?.();
    }
    if (this.#open.size > 0) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  #respond(message: Outgoing): void {
    const exchange = this.#take(message.id as number);
    if (!exchange) return;
    const { error } = message;
    const status = error === undefined ? 200 : this.#options.statusOf((error as { code?: unknown }).code);
    settle(exchange, status, toJson(message, exchange.clientId));
  }

  #notify(message: Outgoing, relatedId: unknown): void {
    this.begin(relatedId as number);
    this.#open.get(relatedId as number)?.stream?.notify(JSON.stringify(message));
  }
}

function settle(exchange: Exchange, status: Answer["status"], json: string): void {
  if (exchange.stream) exchange.stream.end(json);
  else exchange.answer({ status, body: json });
}

function toJson(message: Outgoing, id: RequestId): string {
  const known = message.result === undefined ? undefined : (message.result as Serialized)[JSON_TEXT];
  return known === undefined
    ? JSON.stringify({ ...message, id })
    : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${known}}`;
}

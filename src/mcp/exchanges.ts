import type { Answer } from "./answer.ts";
import { AnswerStream, type AnswerStreamKind } from "./answer_stream.ts";
import { errorMessage, type RequestId, RPC } from "./json_rpc.ts";
import { jsonOf } from "./serialized.ts";

/** A message that a protocol server sends. */
export interface Outgoing {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** What is to be known of a request before it is handed over. */
export interface ExchangeRequest {
  /** The id that the client chose; it may equal that of any other client. */
  readonly clientId: RequestId;
  /** Whether the client wants to hear of progress. */
  readonly asksProgress: boolean;
  /** Whether it reads a stream of events; asked when there is need. */
  readonly readsEvents: () => boolean;
  /**
   * Called when the request has not been answered for a while: to look whether its client is still there, which is too
   * dear to be done for requests that are answered at once.
   *
   * @returns Called when the request has ended.
   */
  readonly watch?: (() => () => void) | undefined;
}

/** A request whose answer is awaited. */
interface Exchange<Request extends ExchangeRequest = ExchangeRequest> {
  readonly request: Request;
  readonly answer: (answer: Answer) => void;
  /** The tick in which it came. */
  readonly tick: number;
  stream: AnswerStream | undefined;
  /** Stops the watching, once it is watched. */
  stop: (() => void) | undefined;
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
export class Exchanges<Request extends ExchangeRequest = ExchangeRequest> {
  readonly #open = new Map<number, Exchange<Request>>();
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
  exchange(request: Request, deliver: (id: number) => void): Promise<Answer> {
    if (this.#closed) return Promise.reject(new Error("The protocol server is closed"));
    return new Promise((answer) => {
      const id = this.#nextId++;
      this.#open.set(id, { request, answer, tick: this.#tick, stream: undefined, stop: undefined });
      if (request.watch) this.#ticking ??= setInterval(() => this.#watchOld(), TICK_MS);
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

  /** Begins the answer to a request before there is anything to say: its client is then known to be there, or gone. */
  begin(id: number): void {
    const exchange = this.#open.get(id);
    if (!exchange || exchange.stream) return;
    const { asksProgress, readsEvents } = exchange.request;
    this.#begin(id, exchange, asksProgress && readsEvents() ? "events" : "json");
  }

  /** The requests in progress with an id of their clients' choice, with our ids. */
  *withClientId(clientId: RequestId): Iterable<readonly [number, Request]> {
    for (const [id, { request }] of this.#open) {
      if (request.clientId === clientId) yield [id, request];
    }
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
    const { clientId, readsEvents } = exchange.request;
    if (readsEvents()) {
      const stream = new AnswerStream("events", () => {});
      stream.end();
      exchange.answer({ status: 200, body: stream });
    } else {
      const error = errorMessage(RPC.refused, "The request was cancelled", clientId);
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
          exchange.request.clientId,
        ),
      );
    }
  }

  #take(id: number): Exchange<Request> | undefined {
    const exchange = this.#open.get(id);
    if (exchange) {
      this.#open.delete(id);
      exchange.stop?.();
    }
    return exchange;
  }

  #watchOld(): void {
    this.#tick++;
    // In the order in which they came.
    for (const exchange of this.#open.values()) {
      if (exchange.tick > this.#tick - 2) return;
      exchange.stop ??= exchange.request.watch?.();
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
    settle(exchange, status, toJson(message, exchange.request.clientId));
  }

  #notify(message: Outgoing, relatedId: unknown): void {
    const id = relatedId as number;
    const exchange = this.#open.get(id);
    if (!exchange) return;
    if (!exchange.stream && exchange.request.readsEvents()) this.#begin(id, exchange, "events");
    exchange.stream?.notify(JSON.stringify(message));
  }

  #begin(id: number, exchange: Exchange, kind: AnswerStreamKind): void {
    exchange.stream = new AnswerStream(kind, () => {
      if (this.#options.disconnectCancels) this.cancel(id);
    });
    exchange.answer({ status: 200, body: exchange.stream });
  }
}

function settle(exchange: Exchange, status: Answer["status"], json: string): void {
  if (exchange.stream) exchange.stream.end(json);
  else exchange.answer({ status, body: json });
}

function toJson(message: Outgoing, id: RequestId): string {
  const known = jsonOf(message.result);
  return known === undefined
    ? JSON.stringify({ ...message, id })
    : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${known}}`;
}

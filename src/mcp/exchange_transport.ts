import type { Transport, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport";
import type { JSONRPCMessage, MessageExtraInfo } from "@modelcontextprotocol/sdk/types";
import { errorMessage, type RequestId, RPC } from "./json_rpc.ts";

/** Where a result carries its own JSON text. `JSON.stringify` passes symbols over; a WeakMap costs the collector. */
const JSON_TEXT = Symbol("JSON text");

interface Serialized {
  [JSON_TEXT]?: string;
}

/**
 * Gives a result object its JSON text, to be sent instead of serialising it: for one that is answered again and
 * again, and for one whose parts were serialised already.
 */
export function serialized<Result extends object>(result: Result, json: string): Result {
  (result as Serialized)[JSON_TEXT] = json;
  return result;
}

/** A request whose answer is awaited. */
interface Exchange {
  /** The id that the client chose; it may equal that of any other client. */
  readonly clientId: RequestId;
  readonly answer: (json: string) => void;
}

/**
 * An in-process transport between HTTP and one long-lived protocol server.
 *
 * All clients share the protocol server, and clients number their requests alike, from 0 or 1. So every request
 * gets an id of ours on the way in, and its client's own id back on the way out: no two clients can meet. Building a
 * server and a transport per request, which is the usual way, costs 5–15 times as much as the socket itself.
 */
export class ExchangeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;

  readonly #exchanges = new Map<number, Exchange>();
  #closed = false;
  // From 1: the SDK's protocol server takes an id of 0 for none when it is cancelled.
  #nextId = 1;

  /** Requests that wait for their answer. */
  get pending(): number {
    return this.#exchanges.size;
  }

  /**
   * Gives a request an id of ours.
   *
   * @param clientId The id that its client gave it.
   * @param deliver Hands the request to the protocol server under our id; the answer comes by {@linkcode send}.
   * @returns Resolves to the JSON text of the answer.
   */
  exchange(clientId: RequestId, deliver: (id: number) => void): Promise<string> {
    if (this.#closed) return Promise.reject(new Error("The transport is closed"));
    const { promise, resolve } = Promise.withResolvers<string>();
    const id = this.#nextId++;
    this.#exchanges.set(id, { clientId, answer: resolve });
    deliver(id);
    return promise;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JSONRPCMessage, _options?: TransportSendOptions): Promise<void> {
    if ("id" in message && !("method" in message)) {
      const exchange = this.#exchanges.get(message.id as number);
      if (exchange) {
        this.#exchanges.delete(message.id as number);
        exchange.answer(toJson(message, exchange.clientId));
      }
    }
    // Notifications have no way out of a stateless server that answers with JSON; nothing here sends any.
    return Promise.resolve();
  }

  /** Ends the protocol server, which aborts its running calls; whoever still waits is told. */
  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.onclose?.();
      for (const { answer, clientId } of this.#exchanges.values()) {
        answer(
          errorMessage(
            RPC.internalError,
            "The server is shutting down, send the request again later",
            clientId,
          ),
        );
      }
      this.#exchanges.clear();
    }
    return Promise.resolve();
  }
}

function toJson(message: JSONRPCMessage, id: RequestId): string {
  const known = "result" in message ? (message.result as Serialized)[JSON_TEXT] : undefined;
  return known === undefined
    ? JSON.stringify({ ...message, id })
    : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${known}}`;
}

import type { Logger } from "../telemetry/mod.ts";
import { clientAddress, type ConnectionInfo, type HttpRequest, TextResponse } from "../web/mod.ts";
import { bodyFraming } from "./body_framing.ts";
import type { TickClock } from "./clock.ts";
import type { DelayedWatch } from "./delayed_watch.ts";
import { checkPartialHead, findHeadEnd, parseHead, type RequestHead } from "./head_parser.ts";
import { IncomingRequest } from "./incoming_request.ts";
import { InputBuffer } from "./input_buffer.ts";
import { MAX_LINGER_BYTES, type Timeouts } from "./limits.ts";
import { Output } from "./output.ts";
import { ProtocolError } from "./protocol_error.ts";
import { RequestBody } from "./request_body.ts";
import { requestUrl } from "./request_target.ts";
import { sendFinalResponse, sendResponse } from "./send_response.ts";

/** Handles a request. Must not reject. */
export type Handler = (request: HttpRequest, info: ConnectionInfo) => Promise<Response> | Response;

/** Returns the response to a request that does not reach the handler. */
export type ErrorResponse = (status: number, message: string) => Response;

/** Options that the connections of a server share. */
export interface ConnectionOptions {
  readonly handler: Handler;
  readonly errorResponse: ErrorResponse;
  readonly timeouts: Timeouts;
  readonly clock: TickClock;
  readonly delayedWatch: DelayedWatch;
  /** Authority of the listener, for requests without `Host`. */
  readonly authority: string;
  readonly log: Logger;
}

/** A request in progress. */
interface Exchange {
  readonly head: RequestHead;
  readonly request: IncomingRequest;
  /** The part of the body that had not arrived with the head. */
  readonly body: RequestBody | undefined;
}

/** One connection of a client: receives requests and sends responses, one after the other. */
export class Connection {
  readonly info: ConnectionInfo;
  /** Identifies the client for limits. */
  readonly address: string;
  /** Tick at which {@linkcode expire} is called; Infinity: no deadline. */
  deadline: number;
  /** Tick since which the connection waits for a request or for its end; Infinity: a request is in progress. */
  waitingSince: number;
  /** Tick since which the request in progress waits for bytes of its body; Infinity: it does not. */
  bodyAwaitedSince = Infinity;
  readonly #conn: Deno.TcpConn;
  readonly #options: ConnectionOptions;
  readonly #input: InputBuffer;
  readonly #output: Output;
  #isHeadIncomplete = false;
  /** Whether the head did not arrive in time: a request that is completed later must not be served. */
  #isExpired = false;
  /** The request that a disconnect aborts. */
  #request: IncomingRequest | undefined;
  /** Whether the body of the request has been received, so that reading can only notice a disconnect. */
  #isReceived = false;
  #cancelStream: (() => void) | undefined;
  /** Whether the connection ends after the current request. */
  #isEnding = false;
  #onClosed: (() => void) | undefined;

  constructor(conn: Deno.TcpConn, options: ConnectionOptions) {
    const { clock, timeouts } = options;
    this.info = { remoteAddr: { hostname: conn.remoteAddr.hostname } };
    this.address = clientAddress(this.info);
    this.waitingSince = clock.now;
    this.deadline = clock.after(timeouts.head);
    this.#conn = conn;
    this.#options = options;
    this.#input = new InputBuffer(conn, () => this.#onRead());
    this.#output = new Output(conn, {
      onWrite: () => this.deadline = clock.after(timeouts.write),
      onWritten: () => this.deadline = Infinity,
    });
  }

  /** Serves requests until the connection ends. Never rejects. */
  async run(): Promise<void> {
    try {
      // Without it, the last part of a response that needs several writes waits for an acknowledgement.
      this.#conn.setNoDelay(true);
      while (await this.#serveRequest());
    } catch {
      // The connection broke, or the client was too slow: there is no one to notify.
    } finally {
      this.close();
    }
  }

  /** Ends the connection: at once if no request is in progress, otherwise after the response. */
  end(): void {
    this.#isEnding = true;
    if (this.waitingSince !== Infinity) this.close();
  }

  /** Closes the connection at once, and aborts the request in progress. */
  close(): void {
    try {
      this.#conn.close();
    } catch {
      // It is closed already.
    }
    this.#onClosed?.();
    this.#abort();
  }

  /** The deadline has passed. */
  expire(): void {
    this.deadline = Infinity;
    if (!this.#isHeadIncomplete) return this.close();
    this.#isHeadIncomplete = false;
    this.#isExpired = true;
    const error = new ProtocolError(408, "The request head did not arrive in time");
    this.#reject(error).catch(() => {}).finally(() => this.close());
  }

  /** @returns Whether another request may follow. */
  async #serveRequest(): Promise<boolean> {
    let exchange: Exchange | undefined;
    try {
      exchange = await this.#receive();
    } catch (error) {
      if (!(error instanceof ProtocolError) || this.#isExpired) throw error;
      await this.#reject(error);
      await this.#linger();
    }
    if (!exchange || this.#isExpired) return false;
    const { head, request, body } = exchange;
    this.#request = request;
    if (!body) this.#onReceived();
    const response = await this.#handle(exchange);
    // Nothing reads the rest of the body after the response (RFC 9112 §9.3).
    const isBodyRead = body?.finish() ?? true;
    this.bodyAwaitedSince = Infinity;
    const close = this.#isEnding || !isBodyRead || head.minor === 0 || asksToClose(head.connection) ||
      fieldOf(response, "connection") === "close";
    const { method } = request;
    const { minor } = head;
    await sendResponse(this.#output, response, {
      method,
      minor,
      close,
      onStream: (cancel) => {
        this.#cancelStream = cancel;
        if (this.#input.isEnded) cancel();
      },
    });
    this.#request = this.#cancelStream = undefined;
    this.#isReceived = false;
    if (close) {
      if (!isBodyRead || this.#input.available > 0) await this.#linger();
      return false;
    }
    const { clock, timeouts } = this.#options;
    this.#input.shrink();
    this.waitingSince = clock.now;
    this.deadline = clock.after(timeouts.idle);
    return true;
  }

  /** Receives a request up to the end of its head; undefined: the client has ended the connection. */
  async #receive(): Promise<Exchange | undefined> {
    const head = await this.#receiveHead();
    if (!head) return undefined;
    this.waitingSince = this.deadline = Infinity;
    const input = this.#input;
    const url = requestUrl(head, this.#options.authority);
    const framing = bodyFraming(head);
    // RFC 9110 §10.1.1. HTTP/1.0 has no expectations.
    const isContinueExpected = head.minor === 1 && head.expect === "100-continue";
    if (head.expect !== undefined && !isContinueExpected && head.minor === 1) {
      throw new ProtocolError(417, "The only supported expectation is 100-continue");
    }
    if (framing === 0) return { head, request: new IncomingRequest(head, url, undefined), body: undefined };
    if (framing !== "chunked" && framing <= input.available) {
      const bytes = input.bytes.slice(input.start, input.start + framing);
      input.consume(framing);
      return { head, request: new IncomingRequest(head, url, bytes), body: undefined };
    }
    const body = new RequestBody({
      input,
      framing,
      onFirstRead: async () => {
        if (isContinueExpected) await this.#output.writeLatin1("HTTP/1.1 100 Continue\r\n\r\n");
      },
      onWait: (isWaiting) => this.bodyAwaitedSince = isWaiting ? this.#options.clock.now : Infinity,
      onEnd: () => this.#onReceived(),
    });
    return { head, request: new IncomingRequest(head, url, body), body };
  }

  async #receiveHead(): Promise<RequestHead | undefined> {
    const { clock, timeouts } = this.#options;
    const input = this.#input;
    while (input.available === 0) {
      if (input.isEnded) return undefined;
      await input.fill();
    }
    this.deadline = clock.after(timeouts.head);
    this.#isHeadIncomplete = true;
    let isEmptyLineSkipped = false;
    let searched = 0;
    while (true) {
      isEmptyLineSkipped ||= skipEmptyLine(input);
      if (isEmptyLineSkipped) {
        const end = findHeadEnd(input.bytes, input.start + searched, input.end);
        if (end >= 0) {
          const head = parseHead(input.bytes.subarray(input.start, end));
          input.consume(end + 2 - input.start);
          this.#isHeadIncomplete = false;
          return head;
        }
        checkPartialHead(input.bytes, input.start, input.end);
        // The end may be split: CRLF CRLF.
        searched = Math.max(0, input.available - 3);
      }
      if (input.isEnded) return undefined;
      await input.fill();
    }
  }

  async #handle({ head, request }: Exchange): Promise<Response> {
    // RFC 9110 §9.3.7: a ping of the server, not of a resource.
    if (head.target === "*") return new Response(null, { status: 204 });
    try {
      return await this.#options.handler(request, this.info);
    } catch (error) {
      this.#options.log.error("request failed", { error: error as Error });
      return this.#options.errorResponse(500, "Internal error: see the server's log");
    }
  }

  async #reject({ status, message }: ProtocolError): Promise<void> {
    await sendFinalResponse(this.#output, this.#options.errorResponse(status, message));
  }

  /**
   * Reads what the client still sends, within limits, before the connection is closed: a connection that is
   * closed with unread bytes is reset, which can destroy the response on its way (RFC 9112 §9.6).
   */
  async #linger(): Promise<void> {
    const input = this.#input;
    const { clock, timeouts } = this.#options;
    const latest = clock.after(timeouts.lingerTotal);
    this.deadline = Math.min(clock.after(timeouts.linger), latest);
    this.waitingSince = clock.now;
    this.#isHeadIncomplete = false;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    this.#onClosed = resolve;
    await this.#conn.closeWrite();
    for (let dropped = 0; dropped < MAX_LINGER_BYTES; dropped += input.available) {
      input.consume(input.available);
      if (input.isEnded) return;
      await input.fill();
      this.deadline = Math.min(clock.after(timeouts.linger), latest);
    }
    // The client sends on: it gets the rest of the time to read the response.
    await closed;
  }

  /**
   * Watches for a disconnect, unless the request has ended: keeps a read in progress. Bytes of further requests
   * wait in the buffer.
   */
  watch(): void {
    if (this.#isReceived && this.#input.hasCapacity) this.#input.fill();
  }

  #onReceived(): void {
    this.#isReceived = true;
    this.#options.delayedWatch.add(this);
  }

  #onRead(): void {
    if (!this.#request) return;
    if (this.#input.isEnded) this.#abort();
    else this.watch();
  }

  #abort(): void {
    this.#request?.abort();
    this.#cancelStream?.();
  }
}

function fieldOf(response: Response, name: string): string | null {
  return response instanceof TextResponse ? response.field(name) : response.headers.get(name);
}

function asksToClose(connection: string | undefined): boolean {
  return connection !== undefined && connection.split(",").some((option) => option.trim() === "close");
}

/**
 * Skips one empty line before a request line, which some clients send (RFC 9112 §2.2).
 *
 * @returns Whether enough bytes have arrived.
 */
function skipEmptyLine(input: InputBuffer): boolean {
  const { bytes, start, available } = input;
  if (bytes[start] !== 13) return available > 0;
  if (available < 2) return false;
  if (bytes[start + 1] === 10) input.consume(2);
  return true;
}

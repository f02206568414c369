import type { HttpRequest } from "../web/mod.ts";
import type { RequestHead } from "./head_parser.ts";
import type { RequestBody } from "./request_body.ts";
import type { RequestHeaders } from "./request_headers.ts";

/** A request as the server passes it to its handler. */
export class IncomingRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RequestHeaders;
  readonly receivedBody: Uint8Array<ArrayBuffer> | undefined;
  readonly #source: RequestBody | undefined;
  #body: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /** Created on demand: most handlers do not use the signal. */
  #controller: AbortController | undefined;
  #isAborted = false;

  /** @param body The body; bytes if it has arrived; undefined without one. */
  constructor(
    { method, headers }: RequestHead,
    url: string,
    body: RequestBody | Uint8Array<ArrayBuffer> | undefined,
  ) {
    this.method = method;
    this.url = url;
    this.headers = headers;
    if (body instanceof Uint8Array) this.receivedBody = body;
    else this.#source = body;
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#body) return this.#body;
    if (this.#source) return this.#body = this.#source.stream();
    if (this.receivedBody) return this.#body = new Blob([this.receivedBody]).stream();
    return null;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Aborts the signal: the client has disconnected. */
  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}

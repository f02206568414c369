/**
 * The part of a web `Request` that HTTP handlers use. The HTTP/1.1 server passes its own implementation,
 * which costs a tenth of a `Request`; tests pass a `Request`.
 */
export interface HttpRequest {
  readonly method: string;
  /** Absolute URL without a fragment. */
  readonly url: string;
  readonly headers: Pick<Headers, "get" | "has">;
  /** The bytes of the body as they arrive; null: the request has no body. Can be read once. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** The whole body, if it arrived together with the head: nothing has to be awaited or buffered. */
  readonly receivedBody?: Uint8Array<ArrayBuffer> | undefined;
  /** Aborts when the client disconnects before the response was sent. */
  readonly signal: AbortSignal;
}

/** The connection that a request arrived on. */
export interface ConnectionInfo {
  readonly remoteAddr: {
    /** IP address. */
    readonly hostname: string;
  };
}

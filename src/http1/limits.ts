const KiB = 1024;

/** Maximum length of a request line, in bytes (RFC 9112 §3 recommends at least 8,000). */
export const MAX_REQUEST_LINE_BYTES = 8 * KiB;
/** Maximum length of a request head, the request line included, in bytes. */
export const MAX_HEAD_BYTES = 32 * KiB;
/** Maximum number of header fields of a request. */
export const MAX_FIELDS = 100;
/** Maximum length of the line before a chunk, its extensions included, in bytes. */
export const MAX_CHUNK_LINE_BYTES = 256;
/** Maximum length of all chunk extensions of a body, in bytes (RFC 9112 §7.1.1 asks for such a limit). */
export const MAX_CHUNK_EXTENSION_BYTES = 4 * KiB;
/** Maximum length of the trailer section of a chunked body, in bytes. */
export const MAX_TRAILER_BYTES = 4 * KiB;
/**
 * Bytes of an unread request body that are read and dropped before a connection is closed. Many clients send the
 * whole body before they read the response, and without this report a broken connection in place of it.
 */
export const MAX_LINGER_BYTES = 64 * 1024 * KiB;
/** Size of the parts of a response that each have to be accepted within the write timeout. */
export const WRITE_PART_BYTES = 128 * KiB;

/** Timeouts of a connection, in milliseconds. Tests shorten them. */
export interface Timeouts {
  /**
   * A request head must be complete within this time: from the start of the connection, or from its first
   * byte on a connection that is kept alive. Absolute, because a client that sends a byte now and then could
   * hold a connection for ever.
   */
  readonly head: number;
  /**
   * Maximum time between two requests. Longer than the connection pools of common clients keep a connection
   * (reqwest and Go 90 s, curl 118 s): otherwise they send a request on a connection that is just closing.
   */
  readonly idle: number;
  /** The client must accept each part of a response within this time: 128 KiB, or one chunk of a stream. */
  readonly write: number;
  /**
   * A connection whose client has not accepted a part of a response, or sent bytes of a body, for this time may
   * be closed in favour of a new one.
   */
  readonly stall: number;
  /** On a connection that the server has ended, the client must close it or send bytes within this time. */
  readonly linger: number;
  /** Maximum time for the client to close a connection that the server has ended, whatever it sends. */
  readonly lingerTotal: number;
  /** Maximum time for running requests to finish during a shutdown. */
  readonly drain: number;
}

/** Timeouts outside tests. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  head: 10_000,
  idle: 120_000,
  write: 30_000,
  stall: 5000,
  linger: 2000,
  lingerTotal: 30_000,
  drain: 5000,
};

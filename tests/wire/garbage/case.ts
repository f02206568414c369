/** Expected response to a body. */
export type Verdict =
  /** 400 with -32700: not JSON. */
  | "parse"
  /** 400 with -32600: JSON, but not a valid message. */
  | "invalid"
  /** 400 with either code: the body may be rejected before it is parsed. */
  | "rejected"
  /** 200: a request. `code` is the error code, or undefined for a result. */
  | { readonly code: number | undefined; readonly id: string | number }
  /** 202: a notification or a response. */
  | "accepted";

/** A body that a broken or malicious client might send. */
export interface Garbage {
  readonly name: string;
  readonly body: Uint8Array;
  readonly expected: Verdict;
}

/** A valid request. */
export const PING = `{"jsonrpc":"2.0","id":1,"method":"ping"}`;
/** The expected response to {@linkcode PING}. */
export const PONG = { code: undefined, id: 1 } as const;

const encoder = new TextEncoder();

/** Returns a test case for a body of text or bytes. */
export function of(name: string, body: string | Uint8Array, expected: Verdict): Garbage {
  return { name, body: typeof body === "string" ? encoder.encode(body) : body, expected };
}

/** Returns a request with a parameter of JSON text, which may be invalid. */
export function param(json: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${json}}}`;
}

/** Encodes Latin-1, so that a test can write a byte as `\xff`. */
export function bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

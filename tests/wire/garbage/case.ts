/** What must come back for a body. */
export type Verdict =
  /** 400 with -32700: no JSON. */
  | "parse"
  /** 400 with -32600: JSON, but no message that we take. */
  | "invalid"
  /** 400 with either of the two: what is refused before it is parsed need not say which. */
  | "refused"
  /** 200: JSON, and a request. The answer's error code, or undefined for a result. */
  | { readonly answered: number | undefined; readonly id: string | number }
  /** 202: JSON, and a notification or a response. */
  | "accepted";

/** A body that some client might send. */
export interface Garbage {
  readonly name: string;
  readonly body: Uint8Array;
  readonly expected: Verdict;
}

/** A request without a fault. */
export const PING = `{"jsonrpc":"2.0","id":1,"method":"ping"}`;
/** What answers it. */
export const PONG = { answered: undefined, id: 1 } as const;

const encoder = new TextEncoder();

/** A body as text, or as the bytes of what is none. */
export function of(name: string, body: string | Uint8Array, expected: Verdict): Garbage {
  return { name, body: typeof body === "string" ? encoder.encode(body) : body, expected };
}

/** A request whose parameter is a text of JSON that may be none. */
export function param(json: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${json}}}`;
}

/** The bytes of a text in Latin-1, so that a test may spell bytes as `\xff`. */
export function bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

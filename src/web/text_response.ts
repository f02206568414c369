/**
 * A response whose body is text. The HTTP/1.1 server sends the text as it is, with its length, instead of
 * reading it back from the stream of the body, which costs more than all else about a small response.
 */
export class TextResponse extends Response {
  readonly content: string;

  constructor(content: string, init?: ResponseInit) {
    super(content, init);
    this.content = content;
  }
}

/** Options of {@linkcode jsonResponse}. */
export interface JsonResponseOptions {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a JSON response, like `Response.json`. */
export function jsonResponse(
  value: unknown,
  { status = 200, headers }: JsonResponseOptions = {},
): TextResponse {
  return new TextResponse(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
}

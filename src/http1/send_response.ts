import { joinBytes } from "../text/mod.ts";
import { TextResponse } from "../web/mod.ts";
import type { Output } from "./output.ts";
import { responseHead } from "./response_head.ts";

/** Options of {@linkcode sendResponse}. */
export interface SendOptions {
  /** Method of the request: a response to `HEAD` has no body. */
  readonly method: string;
  /** Minor version of HTTP/1 of the request. */
  readonly minor: 0 | 1;
  /** Whether the connection ends with this response. */
  readonly close: boolean;
  /** Receives the function to call when the client disconnects while the body is streamed. */
  readonly onStream: (cancel: () => void) => void;
}

/**
 * Writes a response. The body of a stream is chunked; for HTTP/1.0 it ends with the connection.
 *
 * @throws {Error} When the connection or the stream breaks: the response is incomplete.
 */
export async function sendResponse(output: Output, response: Response, options: SendOptions): Promise<void> {
  const { method, minor, close } = options;
  const { status } = response;
  const hasNoBody = status === 204 || status === 304;
  if (response instanceof TextResponse && !hasNoBody) {
    const { content } = response;
    if (method !== "HEAD") {
      const head = (framing: number) => responseHead(response, { framing, close });
      return await output.writeMessage(head, content);
    }
    const framing = joinBytes(content).length;
    return await output.writeLatin1(responseHead(response, { framing, close }));
  }
  const { body } = response;
  if (body === null || hasNoBody) {
    const framing = hasNoBody || method === "HEAD" ? "none" : 0;
    return await output.writeLatin1(responseHead(response, { framing, close }));
  }
  if (method === "HEAD") {
    body.cancel().catch(() => {});
    return await output.writeLatin1(responseHead(response, { framing: "none", close }));
  }
  const isChunked = minor === 1;
  try {
    await output.writeLatin1(responseHead(response, { framing: isChunked ? "chunked" : "none", close }));
  } catch (error) {
    // The handler frees what it keeps for the body when the body ends or is cancelled.
    body.cancel().catch(() => {});
    throw error;
  }
  await sendStream(output, body, { isChunked, onStream: options.onStream });
}

/** Writes a response to a request that did not reach the handler; the connection is closed after it. */
export function sendFinalResponse(output: Output, response: Response): Promise<void> {
  return sendResponse(output, response, { method: "", minor: 1, close: true, onStream: () => {} });
}

/** Writes the chunks of a body as they are produced, no faster than the client reads them. */
async function sendStream(
  output: Output,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { isChunked, onStream }: { isChunked: boolean } & Pick<SendOptions, "onStream">,
): Promise<void> {
  const reader = body.getReader();
  let isCancelled = false;
  const cancel = () => {
    isCancelled = true;
    // Also ends a pending read.
    reader.cancel().catch(() => {});
  };
  onStream(cancel);
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (isCancelled) throw new Error("The client disconnected");
      if (done) break;
      // An empty chunk would end the body.
      if (value.byteLength > 0) await output.write(isChunked ? chunk(value) : value);
    }
    if (isChunked) await output.writeLatin1("0\r\n\r\n");
  } catch (error) {
    cancel();
    throw error;
  }
}

/** Frames the bytes of a chunk (RFC 9112 §7.1). */
function chunk(data: Uint8Array): Uint8Array<ArrayBuffer> {
  const size = `${data.byteLength.toString(16)}\r\n`;
  const framed = new Uint8Array(size.length + data.byteLength + 2);
  for (let i = 0; i < size.length; i++) framed[i] = size.charCodeAt(i);
  framed.set(data, size.length);
  framed.set([13, 10], size.length + data.byteLength);
  return framed;
}

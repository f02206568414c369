import type { Deadline } from "./deadline.ts";

/** A body that is larger than the client takes. */
export class AnswerTooLarge extends Error {
  override name = "AnswerTooLarge";
}

/** A body that is no UTF-8 text, as JSON has to be (RFC 8259, 8.1). */
export class NotUtf8 extends Error {
  override name = "NotUtf8";
}

/**
 * Reads a body as text, within the deadline, and never more of it than `maxBytes`.
 *
 * @throws {AnswerTooLarge} As soon as it is known to be larger; the rest is not read.
 * @throws {NotUtf8} If it is not UTF-8.
 */
export async function readText(response: Response, maxBytes: number, deadline: Deadline): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  try {
    // Spares reading what is too large by its own account; what really comes is counted below.
    if (Number(response.headers.get("content-length")) > maxBytes) throw new AnswerTooLarge();
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let text = "";
    let size = 0;
    for (;;) {
      const { done, value } = await deadline.race(reader.read());
      size += value?.byteLength ?? 0;
      if (size > maxBytes) throw new AnswerTooLarge();
      text += decode(decoder, value, !done);
      if (done) return text;
    }
  } catch (error) {
    // Not awaited: a source that does not react must not keep the call beyond its deadline.
    reader.cancel().catch(() => {});
    throw error;
  }
}

function decode(decoder: TextDecoder, bytes: Uint8Array<ArrayBuffer> | undefined, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (cause) {
    throw new NotUtf8("The answer is not UTF-8", { cause });
  }
}

/** Lets go of a body that nobody is going to read. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}

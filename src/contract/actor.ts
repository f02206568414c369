import * as z from "zod";
import { MAX_ACTOR_CHARS } from "./rules/limits.ts";

/** Name of the person or program that makes a change: 1 to 100 printable characters. */
export const Actor = z.string().trim().min(1).max(MAX_ACTOR_CHARS).regex(
  // deno-lint-ignore no-control-regex -- matches control characters on purpose
  /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]*$/u,
  "must have no control characters and no unpaired surrogates",
);
/** Inferred from {@linkcode Actor}. */
export type Actor = z.infer<typeof Actor>;

/** Encodes the value of the `X-KB-Actor` header: ASCII as it is, other characters and `%` percent-encoded. */
export function encodeActor(name: string): string {
  return name.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]/gu, encodeURIComponent);
}

/**
 * Decodes the value of the `X-KB-Actor` header: percent-encoded or plain UTF-8.
 *
 * @param value The header's bytes as Latin-1, as the Fetch standard represents them.
 * @returns Undefined if the value is malformed.
 */
export function decodeActor(value: string): string | undefined {
  try {
    return decodeURIComponent(value.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`));
  } catch {
    return undefined;
  }
}

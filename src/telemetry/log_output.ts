/** A stream that lines are written to, such as `Deno.stderr`. */
export interface LogStream {
  /** Writes some of the bytes. Returns their number. */
  writeSync(bytes: Uint8Array): number;
}

/**
 * Returns a function that writes a line to a stream, and drops a line that the stream does not accept.
 *
 * The disk of a log file may be full, and the program that read the log through a pipe may have ended. Neither may
 * end a server, nor fail the change that the line is about. Lines are written again when the stream accepts them.
 *
 * @example
 * ```ts
 * import { lineWriter } from "./log_output.ts";
 * import { assertEquals } from "@std/assert";
 * let text = "";
 * const write = lineWriter({
 *   writeSync: (bytes) => (text += new TextDecoder().decode(bytes), bytes.length),
 * });
 * write("started");
 * assertEquals(text, "started\n");
 * ```
 */
export function lineWriter(stream: LogStream): (line: string) => void {
  const encoder = new TextEncoder();
  let isTorn = false;
  return (line) => {
    const bytes = encoder.encode(isTorn ? `\n${line}\n` : `${line}\n`);
    let written = 0;
    try {
      while (written < bytes.length) written += stream.writeSync(bytes.subarray(written));
      isTorn = false;
    } catch {
      // The next line must not continue the part of this one that the stream has accepted.
      isTorn ||= written > 0;
    }
  };
}

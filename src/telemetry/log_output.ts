/** A stream that lines are written to, such as `Deno.stderr`. */
export interface LogStream {
  /** Writes some of the bytes. Resolves to their number, when the stream has accepted them. */
  write(bytes: Uint8Array): Promise<number>;
}

/** Maximum length of the lines that wait for a stream, in characters. */
const MAX_WAITING_CHARS = 1_000_000;

const NEWLINE = 10;

/**
 * Writes lines to a stream in the background, and drops those that it does not accept.
 *
 * The disk of a log file may be full, the program that read the log through a pipe may have ended, and one that runs
 * may not read it, so that a write blocks once the pipe is full. None of these may stop a server, nor fail the change
 * that a line is about. Lines are written again when the stream accepts them.
 *
 * @example
 * ```ts
 * import { LogOutput } from "./log_output.ts";
 * import { assertEquals } from "@std/assert";
 * let text = "";
 * const output = new LogOutput({
 *   write: (bytes) => (text += new TextDecoder().decode(bytes), Promise.resolve(bytes.length)),
 * });
 * output.write("started");
 * await output.flush();
 * assertEquals(text, "started\n");
 * ```
 */
export class LogOutput {
  readonly #stream: LogStream;
  readonly #encoder = new TextEncoder();
  #waiting: string[] = [];
  /** Length of the lines that wait or are being written, in characters. */
  #waitingChars = 0;
  #dropped = 0;
  #isTorn = false;
  #writing: Promise<void> | undefined;

  constructor(stream: LogStream) {
    this.#stream = stream;
  }

  /**
   * Writes a line, after those that wait.
   *
   * @param describeDropped Returns a line about the number of lines that were dropped before this one. Default: none.
   */
  write(line: string, describeDropped?: (lines: number) => string): void {
    if (this.#waitingChars + line.length > MAX_WAITING_CHARS) {
      this.#dropped++;
      return;
    }
    if (this.#dropped > 0 && describeDropped) this.#add(describeDropped(this.#dropped));
    this.#dropped = 0;
    this.#add(line);
    this.#writing ??= this.#writeAll();
  }

  /**
   * Waits until all lines are written or dropped.
   *
   * @param timeoutMs Maximum time in milliseconds: a stream may accept nothing more.
   */
  async flush(timeoutMs = 1000): Promise<void> {
    if (!this.#writing) return;
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    await Promise.race([this.#writing, timeout]);
    clearTimeout(timer);
  }

  #add(line: string): void {
    this.#waiting.push(line);
    this.#waitingChars += line.length;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      await this.#writeLines(`${lines.join("\n")}\n`);
      for (const line of lines) this.#waitingChars -= line.length;
    }
    this.#writing = undefined;
  }

  async #writeLines(text: string): Promise<void> {
    // The first line must not continue the part of an earlier one that the stream has accepted.
    const bytes = this.#encoder.encode(this.#isTorn ? `\n${text}` : text);
    let written = 0;
    try {
      while (written < bytes.length) written += await this.#stream.write(bytes.subarray(written));
      this.#isTorn = false;
    } catch {
      if (written > 0) this.#isTorn = bytes[written - 1] !== NEWLINE;
      // From 1 on: the first byte may be the end of the torn line.
      for (const byte of bytes.subarray(Math.max(written, 1))) if (byte === NEWLINE) this.#dropped++;
    }
  }
}

/** Standard error, of all loggers, so that one continues no torn line of another. */
export const standardError = new LogOutput(Deno.stderr);

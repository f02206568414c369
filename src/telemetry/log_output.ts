/** A stream that lines are written to, such as `Deno.stderr`. */
export interface LogStream {
  /** Writes some of the bytes. Resolves to their number, when the stream has accepted them. */
  write(bytes: Uint8Array): Promise<number>;
}

/** Maximum length of the lines that wait for a stream, in characters. */
const MAX_WAITING_CHARS = 1_000_000;

const NEWLINE = 10;

/** A line that waits, and the number of lines that are lost with it: a note stands for those that it counts. */
interface WaitingLine {
  readonly text: string;
  readonly lines: number;
}

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
  #waiting: WaitingLine[] = [];
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
    if (this.#dropped > 0 && describeDropped) this.#add(describeDropped(this.#dropped), this.#dropped);
    this.#dropped = 0;
    this.#add(line, 1);
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

  #add(text: string, lines: number): void {
    this.#waiting.push({ text, lines });
    this.#waitingChars += text.length;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      await this.#writeLines(lines);
      for (const { text } of lines) this.#waitingChars -= text.length;
    }
    this.#writing = undefined;
  }

  async #writeLines(lines: readonly WaitingLine[]): Promise<void> {
    const text = `${lines.map(({ text }) => text).join("\n")}\n`;
    // The first line must not continue the part of an earlier one that the stream has accepted.
    const start = this.#isTorn ? 1 : 0;
    const bytes = this.#encoder.encode(start > 0 ? `\n${text}` : text);
    let written = 0;
    try {
      while (written < bytes.length) written += await this.#stream.write(bytes.subarray(written));
      this.#isTorn = false;
    } catch {
      if (written > 0) this.#isTorn = bytes[written - 1] !== NEWLINE;
      let complete = 0;
      for (const byte of bytes.subarray(start, written)) if (byte === NEWLINE) complete++;
      for (const line of lines.slice(complete)) this.#dropped += line.lines;
    }
  }
}

/** Standard error, of all loggers, so that one continues no torn line of another. */
export const standardError = new LogOutput(Deno.stderr);

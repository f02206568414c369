import type { InputBuffer } from "./input_buffer.ts";
import { TOKEN } from "./head_parser.ts";
import { MAX_CHUNK_EXTENSION_BYTES, MAX_CHUNK_LINE_BYTES, MAX_TRAILER_BYTES } from "./limits.ts";
import { ProtocolError } from "./protocol_error.ts";

const QUOTED = '"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
/** RFC 9112 §7.1, without the white space that a sender must not generate. 12 digits are exact as a number. */
const CHUNK_LINE = new RegExp(`^([0-9A-Fa-f]{1,12})((?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*)$`);
const TRAILER_LINE = new RegExp(`^${TOKEN}:[\\t\\x20-\\x7e\\x80-\\xff]*$`);
/** Fields that must not be sent as trailers (RFC 9110 §6.5.1), and that a proxy could mistake for header fields. */
const FRAMING_FIELD = /^(?:content-length|host|transfer-encoding):/i;

const CR = 13;
const LF = 10;

/** The part of an input buffer that the decoder needs. */
type Input = Pick<InputBuffer, "bytes" | "start" | "end" | "consume">;

/** The element of the body that comes next. */
type State = "size" | "data" | "data end" | "trailer" | "done" | "malformed";

/** Decodes a chunked body (RFC 9112 §7.1). Extensions and trailer fields are checked and dropped. */
export class ChunkedDecoder {
  #state: State = "size";
  /** Bytes of the current chunk that have not been decoded. */
  #remaining = 0;
  #extensionBytes = 0;
  #trailerBytes = 0;

  /** Whether the whole body has been decoded. */
  get isDone(): boolean {
    return this.#state === "done";
  }

  /**
   * Consumes the next bytes of the body, at most to the end of a chunk.
   *
   * @returns A copy of the decoded bytes; undefined: more input is required, or the body has ended.
   * @throws {ProtocolError} 400 for malformed chunks.
   */
  decode(input: Input): Uint8Array<ArrayBuffer> | undefined {
    // Where a malformed body ends is unknown, so that decoding must not continue after the error.
    if (this.#state === "malformed") throw malformed("an earlier chunk");
    while (this.#state !== "done" && input.start < input.end) {
      if (this.#state === "data") {
        const count = Math.min(this.#remaining, input.end - input.start);
        const data = input.bytes.slice(input.start, input.start + count);
        input.consume(count);
        this.#remaining -= count;
        if (this.#remaining === 0) this.#state = "data end";
        return data;
      }
      const state: State = this.#state;
      this.#state = "malformed";
      const line = readLine(input);
      this.#state = line === undefined ? state : this.#onLine(state, line);
      if (line === undefined) return undefined;
    }
    return undefined;
  }

  /** Returns the state after a line. */
  #onLine(state: State, line: string): State {
    if (state === "size") return this.#onChunkLine(line);
    if (state === "data end") {
      if (line !== "") throw malformed("a chunk must end after its size");
      return "size";
    }
    if (line === "") return "done";
    this.#trailerBytes += line.length + 2;
    if (!TRAILER_LINE.test(line) || FRAMING_FIELD.test(line)) throw malformed("malformed trailer field");
    if (this.#trailerBytes > MAX_TRAILER_BYTES) throw malformed("the trailer section is too long");
    return "trailer";
  }

  #onChunkLine(line: string): State {
    const match = CHUNK_LINE.exec(line);
    if (!match) throw malformed("malformed chunk size");
    this.#extensionBytes += match[2]!.length;
    if (this.#extensionBytes > MAX_CHUNK_EXTENSION_BYTES) throw malformed("too many chunk extensions");
    this.#remaining = parseInt(match[1]!, 16);
    return this.#remaining === 0 ? "trailer" : "data";
  }
}

/** Consumes a line, and returns it without CRLF; undefined: it is incomplete. */
function readLine(input: Input): string | undefined {
  const { bytes, start, end } = input;
  const lf = bytes.indexOf(LF, start);
  const isComplete = lf >= 0 && lf < end;
  if ((isComplete ? lf : end) - start > MAX_CHUNK_LINE_BYTES) throw malformed("a line is too long");
  if (!isComplete) return undefined;
  // The patterns reject any other CR.
  if (lf === start || bytes[lf - 1] !== CR) throw malformed("lines must end with CRLF");
  const line = String.fromCharCode(...bytes.subarray(start, lf - 1));
  input.consume(lf + 1 - start);
  return line;
}

function malformed(reason: string): ProtocolError {
  return new ProtocolError(400, `Malformed chunked body: ${reason}`);
}

import { BodyError, readChunks } from "../web/mod.ts";
import { UploadError, type UploadErrorCode } from "./errors.ts";
import { onDisk, writeAll } from "./staged_files.ts";

/** Position of the body of a raw `PUT` in the file. */
export interface RawRange {
  /** Offset of the first byte. Default: the body is the whole file. */
  offset?: number | undefined;
  /** Size of the body in bytes. Default: from `offset` to the end of the file. */
  length?: number | undefined;
  /** Size of the whole file according to the request. */
  total?: number | undefined;
}

/** Limits of the wait for a body. */
export interface ReceiveOptions {
  /** Maximum time between two chunks, in milliseconds. Default: no limit. */
  idleTimeoutMs?: number;
  /** Stops receiving. */
  signal?: AbortSignal;
}

const FILE = "raw";

/** The bytes of an upload by `PUT`: one file, filled from its start. Calls must not overlap. */
export class RawContent {
  readonly files: readonly string[] = [FILE];
  readonly #path: string;
  readonly #totalSize: number;
  #bytes = 0;

  constructor(directory: string, totalSize: number) {
    this.#path = `${directory}/${FILE}`;
    this.#totalSize = totalSize;
  }

  /** Number of bytes received, from the start of the file without a gap. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Drops all bytes: the next `PUT` starts over. */
  reset(): void {
    this.#bytes = 0;
  }

  /**
   * Appends a body as it arrives, or starts over with it. Keeps the bytes that arrived before a body breaks
   * off.
   *
   * @throws {UploadError} With the offset to resume from. For a body that stalls, `cause` is a `BodyError`
   * with the code `timeout`.
   */
  async append(
    range: RawRange,
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    options: ReceiveOptions,
  ): Promise<void> {
    const { offset, end } = this.#locate(range);
    const size = end - offset;
    using file = await onDisk(() => Deno.open(this.#path, { write: true, create: true, mode: 0o600 }));
    // Old bytes beyond the offset (of a failed write, or of a file that is started over) need no truncation:
    // they are overwritten before the file counts as complete.
    await file.seek(offset, Deno.SeekMode.Start);
    let position = offset;
    try {
      for await (const chunk of readChunks(body, { ...options, maxBytes: size })) {
        this.#bytes = position; // When starting over: the old bytes no longer count.
        await writeAll(file, chunk);
        position += chunk.length;
        this.#bytes = position;
      }
    } catch (cause) {
      if (!(cause instanceof BodyError)) throw cause;
      if (cause.code !== "too_large") throw this.#brokeOff(cause);
      // A body that is longer than declared is not the declared file.
      this.#bytes = offset;
      throw this.#error("too_large", `The body is longer than the declared ${size} bytes and was dropped.`);
    }
    if (position < end) throw this.#brokeOff();
  }

  /** Returns the range of the file that a body fills. Throws if it does not fit. */
  #locate({ offset, length, total }: RawRange): { offset: number; end: number } {
    const declared =
      `the upload was started with total_size ${this.#totalSize} (if that was wrong, start again with ` +
      `kb_upload_start)`;
    if (total !== undefined && total !== this.#totalSize) {
      throw this.#error("invalid", `Content-Range declares a file of ${total} bytes, but ${declared}.`);
    }
    if (offset !== undefined && offset !== this.#bytes) {
      throw this.#error(
        "conflict",
        `The next range must start at byte ${this.#bytes}, got ${offset}: ${this.#bytes} of ${this.#totalSize} bytes ` +
          `have arrived.`,
      );
    }
    const start = offset ?? 0;
    const end = length === undefined ? this.#totalSize : start + length;
    if (end > this.#totalSize) {
      throw this.#error("too_large", `The body would end at byte ${end}, but ${declared}.`);
    }
    if (offset === undefined && end < this.#totalSize) {
      throw this.#error(
        "invalid",
        `The body has ${end} bytes, but ${declared}. A part needs Content-Range: bytes FIRST-LAST/${this.#totalSize}.`,
      );
    }
    return { offset: start, end };
  }

  #brokeOff(cause?: BodyError): UploadError {
    return this.#error("incomplete", `The body broke off, ${this.#bytes} bytes are kept.`, cause);
  }

  #error(code: UploadErrorCode, message: string, cause?: unknown): UploadError {
    const resumeFrom = this.#bytes;
    const next = resumeFrom === 0
      ? "Send the file from its start: curl -T FILE URL."
      : `Resume from byte ${resumeFrom}: curl -C ${resumeFrom} -T FILE URL.`;
    return new UploadError(code, `${message} ${next}`, { cause, resumeFrom });
  }
}

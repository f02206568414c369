import { onDisk, writeAll } from "./disk.ts";
import { UploadError } from "./errors.ts";
import type { RawRange } from "./types.ts";

const FILE = "raw";

/** The bytes of one upload that is sent by `PUT`: one file, filled from its start. Calls must not overlap. */
export class RawStore {
  readonly files: readonly string[] = [FILE];
  readonly #path: string;
  readonly #totalSize: number;
  #bytes = 0;

  constructor(directory: string, totalSize: number) {
    this.#path = `${directory}/${FILE}`;
    this.#totalSize = totalSize;
  }

  /** Bytes received, all of them from the start of the file. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Forgets all bytes: the next `PUT` starts over. */
  reset(): void {
    this.#bytes = 0;
  }

  /**
   * Appends a body as it arrives, or starts the file over with it. What has arrived when it breaks off is kept.
   *
   * @param signal Stops reading.
   * @throws {UploadError} With `resumeFrom` where the next `PUT` must go on.
   */
  async append(range: RawRange, body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    const { offset, end } = this.#place(range);
    const reader = body.getReader();
    const stop = () => void reader.cancel().catch(() => {});
    signal.addEventListener("abort", stop);
    try {
      using file = await onDisk(() => Deno.open(this.#path, { write: true, create: true, mode: 0o600 }));
      // Whatever lies behind (of a write that failed half-way, of a file that is started over) is overwritten: it is
      // never longer than the file, and the file counts only when all of it has arrived.
      await file.seek(offset, Deno.SeekMode.Start);
      let position = offset;
      for (let part = await this.#read(reader); !part.done; part = await this.#read(reader)) {
        if (position + part.value.length > end) {
          // A body that is longer than it said is not the file that it said it is.
          this.#bytes = offset;
          throw this.#error(
            "too_large",
            `The body is longer than the ${end - offset} bytes it should have; nothing of it was kept.`,
          );
        }
        this.#bytes = position; // for a file that is started over: from here on its old bytes count no more
        await writeAll(file, part.value);
        position += part.value.length;
        this.#bytes = position;
      }
      if (position < end) {
        throw this.#error("incomplete", `The body broke off, ${this.#bytes} bytes are kept.`);
      }
    } finally {
      signal.removeEventListener("abort", stop);
      stop();
    }
  }

  /** Finds out where a body belongs, or why it belongs nowhere. */
  #place({ offset, length, total }: RawRange): { offset: number; end: number } {
    const started =
      `the upload was started with total_size ${this.#totalSize} (if that was wrong, begin again with ` +
      `kb_upload_start)`;
    if (total !== undefined && total !== this.#totalSize) {
      throw this.#error("invalid", `Content-Range declares a file of ${total} bytes, but ${started}.`);
    }
    if (offset !== undefined && offset !== this.#bytes) {
      throw this.#error(
        "conflict",
        `The next range must start at byte ${this.#bytes}, got ${offset}: ${this.#bytes} of ${this.#totalSize} bytes ` +
          `have arrived.`,
      );
    }
    const from = offset ?? 0;
    const end = length === undefined ? this.#totalSize : from + length;
    if (end > this.#totalSize) {
      throw this.#error("too_large", `The body would make ${end} bytes, but ${started}.`);
    }
    if (offset === undefined && end < this.#totalSize) {
      throw this.#error(
        "invalid",
        `The body has ${end} bytes, but ${started}. A part needs Content-Range: bytes FIRST-LAST/${this.#totalSize}.`,
      );
    }
    return { offset: from, end };
  }

  async #read(
    reader: ReadableStreamDefaultReader<Uint8Array>,
  ): Promise<ReadableStreamReadResult<Uint8Array>> {
    try {
      return await reader.read();
    } catch (cause) {
      throw this.#error("incomplete", `The body broke off, ${this.#bytes} bytes are kept.`, cause);
    }
  }

  #error(kind: UploadError["kind"], message: string, cause?: unknown): UploadError {
    const from = this.#bytes;
    const next = from === 0
      ? "Send the file from its start: curl -T FILE URL."
      : `Resume from byte ${from}: curl -C ${from} -T FILE URL.`;
    return new UploadError(kind, `${message} ${next}`, { cause, resumeFrom: from });
  }
}

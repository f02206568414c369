import { createHash } from "node:crypto";
import { ChunkedContent, MAX_LISTED } from "./chunked_content.ts";
import { UploadError } from "./errors.ts";
import { RawContent, type RawRange, type ReceiveOptions } from "./raw_content.ts";
import { readFiles } from "./staged_files.ts";

/** Progress of an upload, derived from its bytes. */
export interface ContentState {
  /** Number of bytes received. */
  received_bytes: number;
  /** Declared size of the file. */
  expected_bytes: number;
  /** Number of chunks; 0 for an upload by raw `PUT`. */
  chunks_received: number;
  /** First {@linkcode MAX_LISTED} missing indexes below the highest received one. */
  missing_chunks: number[];
  /** Number of missing indexes below the highest received one. */
  missing_count: number;
  /** Lowest missing index, for an incomplete upload in chunks: the one to send next. */
  next_chunk_index?: number;
  /** Whether all bytes have arrived, so that the upload can be finished. */
  complete: boolean;
}

/** The received bytes of one upload, either as chunks or as a raw file. Calls that write must not overlap. */
export class Content {
  readonly #directory: string;
  readonly #totalSize: number;
  readonly #chunks: ChunkedContent;
  readonly #raw: RawContent;

  constructor(directory: string, totalSize: number) {
    this.#directory = directory;
    this.#totalSize = totalSize;
    this.#chunks = new ChunkedContent(directory, totalSize);
    this.#raw = new RawContent(directory, totalSize);
  }

  /** Number of bytes received. */
  get bytes(): number {
    return this.#raw.bytes + this.#chunks.bytes;
  }

  /** Whether the bytes were sent by raw `PUT`. */
  get isRaw(): boolean {
    return this.#raw.bytes > 0;
  }

  /** Whether all bytes have arrived. */
  get isComplete(): boolean {
    return this.bytes === this.#totalSize && this.#chunks.missingCount === 0;
  }

  get state(): ContentState {
    const { count, missingCount, nextIndex } = this.#chunks;
    return {
      received_bytes: this.bytes,
      expected_bytes: this.#totalSize,
      chunks_received: count,
      missing_chunks: this.#chunks.firstMissing(MAX_LISTED),
      missing_count: missingCount,
      ...(count > 0 && !this.isComplete ? { next_chunk_index: nextIndex } : {}),
      complete: this.isComplete,
    };
  }

  /** @throws {UploadError} `invalid` for an index that no chunk of this file can have. */
  checkIndex(index: number): void {
    this.#chunks.checkIndex(index);
  }

  /** Stores a chunk, replacing the one with the same index. */
  async putChunk(index: number, bytes: Uint8Array): Promise<void> {
    if (this.isRaw) {
      throw new UploadError(
        "conflict",
        `This upload receives raw bytes at its upload_url: continue there, from byte ${this.#raw.bytes}. To send ` +
          `chunks instead, start again with kb_upload_start.`,
      );
    }
    await this.#chunks.put(index, bytes);
  }

  /** Stores raw bytes as they arrive. */
  async putRaw(
    range: RawRange,
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    options: ReceiveOptions,
  ): Promise<void> {
    if (this.#chunks.count > 0) {
      throw new UploadError(
        "conflict",
        "This upload receives chunks: continue with kb_upload_chunk. To send raw bytes instead, start again with " +
          "kb_upload_start.",
      );
    }
    await this.#raw.append(range, body, options);
  }

  /** Drops raw bytes, so that the whole file can be sent again. */
  dropRaw(): void {
    this.#raw.reset();
  }

  /** Describes the missing bytes and how to send them; null when the file is complete. */
  describeMissing(): string | null {
    if (this.isComplete) return null;
    if (this.isRaw) {
      return `${
        this.#totalSize - this.#raw.bytes
      } bytes are still missing: ${this.#raw.bytes} of ${this.#totalSize} ` +
        `received. Continue with a PUT to its upload_url from byte ${this.#raw.bytes}, then finish again.`;
    }
    return this.#chunks.describeMissing();
  }

  /**
   * Returns the SHA-256 of the file in lower-case hexadecimal.
   *
   * @throws {DOMException} `AbortError`, when `signal` aborts.
   */
  async digest(signal?: AbortSignal): Promise<string> {
    const hash = createHash("sha256");
    for await (const bytes of this.open()) {
      if (signal?.aborted) throw new DOMException("Finishing the upload was cancelled.", "AbortError");
      hash.update(bytes);
    }
    return hash.digest("hex");
  }

  /** Streams the file from its start. */
  open(onProgress?: (bytes: number) => void): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { files } = this.isRaw ? this.#raw : this.#chunks;
    return readFiles(files.map((name) => `${this.#directory}/${name}`), onProgress);
  }
}

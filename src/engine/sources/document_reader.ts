import { createHash } from "node:crypto";
import { type ChunkOptions, ExtractionError } from "../../extraction/mod.ts";
import { LARGE_FILE_BYTES } from "../knowledge_base/mod.ts";
import type { Extracted, ExtractorPool } from "../ingestion/mod.ts";

/** Files up to this size are read before they are extracted, in bytes; larger ones are streamed. */
const MAX_BUFFERED_BYTES = 4 * 2 ** 20;

/** A file to read. */
export interface DocumentContent {
  /** File name, for the detection of its type. */
  readonly filename: string;
  /** Media type, if the sender has named one. */
  readonly contentType?: string;
  /** Size in bytes. */
  readonly sizeBytes: number;
  /** Its bytes. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** The text of a file, or the reason for its absence. */
export type ReadDocument =
  | { readonly contentHash: string; readonly sizeBytes: number; readonly document: Extracted }
  | {
    /** Null if the bytes were not all read. */
    readonly contentHash: string | null;
    readonly sizeBytes: number;
    readonly error: { readonly code: string; readonly message: string };
  };

/** Options of {@linkcode DocumentReader}. */
export interface DocumentReaderOptions {
  /** Extracts text. */
  readonly extractors: ExtractorPool;
  /** Chunk sizes. */
  readonly chunk: ChunkOptions;
  /** Maximum size of a file in bytes. */
  readonly maxFileBytes: number;
}

/** Extracts the text of files and hashes the same bytes, so that a file that changes meanwhile is noticed. */
export class DocumentReader implements AsyncDisposable {
  readonly #options: DocumentReaderOptions;
  readonly #closing = new AbortController();
  /** The last extraction, which the next one waits for. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: DocumentReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads a file.
   *
   * @throws {DOMException} `AbortError` when the reader is disposed.
   * @throws {unknown} The error of `chunks`.
   */
  async read(file: DocumentContent): Promise<ReadDocument> {
    const { maxFileBytes } = this.#options;
    if (file.sizeBytes > maxFileBytes) {
      const message =
        `The file must have at most ${maxFileBytes} bytes, got ${file.sizeBytes}: raise KB_MAX_FILE_BYTES`;
      return { contentHash: null, sizeBytes: file.sizeBytes, error: { code: "too_large", message } };
    }
    const content = file.sizeBytes <= MAX_BUFFERED_BYTES ? await buffer(file) : file;
    const extraction = this.#last.then(() => this.#extract(content));
    this.#last = extraction.catch(() => {});
    return await extraction;
  }

  /** Ends the extraction of a file. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#last;
  }

  async #extract({ filename, contentType, sizeBytes, chunks }: DocumentContent): Promise<ReadDocument> {
    const { extractors, chunk } = this.#options;
    const { signal } = this.#closing;
    let hash = createHash("sha256");
    let read = 0;
    let failure: unknown;
    async function* bytes() {
      try {
        for await (const part of chunks) {
          hash.update(part);
          read += part.byteLength;
          yield part;
        }
      } catch (error) {
        failure = error;
        throw error;
      }
    }
    const contentHash = () => hash.digest("hex");
    try {
      using slot = await extractors.acquire(signal);
      if (sizeBytes > LARGE_FILE_BYTES) await slot.takeLarge(signal);
      const content = {
        sizeBytes,
        // Small files, which are buffered, can be read twice.
        get bytes() {
          hash = createHash("sha256");
          read = 0;
          return bytes();
        },
      };
      const document = await slot.extract(content, { filename, contentType, chunk }, { signal });
      if (!document) throw new ExtractionError("internal", "The file could not be read: it has no text");
      return { contentHash: contentHash(), sizeBytes, document };
    } catch (error) {
      if (failure !== undefined) throw failure;
      if (!(error instanceof ExtractionError)) throw error;
      const { code, message } = error;
      return { contentHash: read === sizeBytes ? contentHash() : null, sizeBytes, error: { code, message } };
    }
  }
}

/** Reads a small file, whose size is then certain although it may be changing. */
async function buffer(file: DocumentContent): Promise<DocumentContent> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let sizeBytes = 0;
  for await (const part of file.chunks) {
    parts.push(part.slice());
    sizeBytes += part.byteLength;
    if (sizeBytes > 2 * MAX_BUFFERED_BYTES) break; // it grows: the next synchronization reads the rest
  }
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return {
    ...file,
    sizeBytes,
    chunks: {
      async *[Symbol.asyncIterator]() {
        yield bytes;
      },
    },
  };
}

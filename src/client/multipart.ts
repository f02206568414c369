/**
 * Encodes multipart/form-data (RFC 7578). `FormData` as a body would turn every line feed of a note into CR
 * LF (WHATWG "multipart/form-data encoding algorithm"), and would need each file as a `Blob` instead of a
 * stream.
 */

/** A file to upload. */
export interface FileSource {
  /** File name; may contain any characters. */
  readonly filename: string;
  /** Media type. An invalid one is sent as `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /** Exact size in bytes. The call fails if the stream has fewer or more. */
  readonly size: number;
  /**
   * Opens the stream, when the engine is reachable. Called again if the engine rejects a field of the form, which
   * is then sent without it.
   */
  readonly open: () => ReadableStream<Uint8Array> | Promise<ReadableStream<Uint8Array>>;
}

/** An encoded form. */
export interface EncodedForm {
  readonly contentType: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

const encoder = new TextEncoder();

/** Encodes text fields. Line feeds arrive unchanged. */
export function encodeFields(form: FormData): EncodedForm {
  const boundary = newBoundary();
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: encoder.encode(`${fieldParts(form, boundary)}--${boundary}--\r\n`),
  };
}

/**
 * Encodes text fields and one file as a stream of known length. Dispose of it after the request, even a
 * failed one.
 */
export class FileForm implements AsyncDisposable {
  readonly contentType: string;
  /** Length of the whole body in bytes. */
  readonly contentLength: number;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  #file: FileSource;
  #opening: Promise<ReadableStream<Uint8Array>> | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #read = 0;
  #state: "open" | "complete" | "closed" = "open";
  #failure: unknown;

  constructor(fields: FormData, file: FileSource) {
    const boundary = newBoundary();
    const head = encoder.encode(
      `${fieldParts(fields, boundary)}--${boundary}\r\n` +
        `Content-Disposition: form-data; name="file"; filename="${escapeName(file.filename)}"\r\n` +
        `Content-Type: ${mediaType(file.contentType)}\r\n\r\n`,
    );
    const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
    this.#file = file;
    this.contentType = `multipart/form-data; boundary=${boundary}`;
    this.contentLength = head.length + file.size + tail.length;
    let headSent = false;
    this.body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        if (!headSent) {
          headSent = true;
          return controller.enqueue(head);
        }
        const bytes = await this.#next();
        if (bytes) return controller.enqueue(bytes);
        this.#state = "complete";
        controller.enqueue(tail);
        controller.close();
      },
      cancel: () => this[Symbol.asyncDispose](),
      // No read-ahead, so a call that fails to connect never opens the file.
    }, { highWaterMark: 0 });
  }

  /** Bytes of the file that were sent so far. */
  get bytesRead(): number {
    return this.#read;
  }

  /** Whether the closing boundary was sent. A server cannot parse the form without it. */
  get isComplete(): boolean {
    return this.#state === "complete";
  }

  /** Error of reading the file, if any. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Closes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state === "open") this.#state = "closed";
    if (!this.#reader) {
      // Not awaited: a file that never opens must not delay a call that has ended.
      this.#opening?.then((stream) => stream.cancel()).catch(() => {});
      return;
    }
    const reader = this.#reader;
    this.#reader = undefined;
    await reader.cancel().catch(() => {});
  }

  async #next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      const reader = await this.#open();
      for (;;) {
        const { done, value } = await reader.read();
        if (this.#state !== "open") throw new Error("The upload was aborted");
        this.#read += done ? 0 : value.byteLength;
        if (this.#read > this.#file.size || (done && this.#read < this.#file.size)) {
          throw new FileSizeError(this.#file.size, this.#read, done);
        }
        if (done) return undefined;
        if (value.byteLength > 0) return value as Uint8Array<ArrayBuffer>;
      }
    } catch (error) {
      if (this.#state === "open") this.#failure = error;
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #open(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    if (this.#reader) return this.#reader;
    this.#opening ??= Promise.resolve(this.#file.open());
    const stream = await this.#opening;
    if (this.#state !== "open") throw new Error("The upload was aborted");
    return this.#reader = stream.getReader();
  }
}

/** Thrown when the length of the stream differs from the declared size. */
export class FileSizeError extends Error {
  override name = "FileSizeError";
  constructor(expected: number, got: number, ended: boolean) {
    super(`The file must have ${expected} bytes, got ${ended ? `only ${got}` : `${got} or more`}`);
  }
}

function newBoundary(): string {
  return `kb-${crypto.randomUUID()}`;
}

function fieldParts(form: FormData, boundary: string): string {
  let parts = "";
  for (const [name, value] of form) {
    if (typeof value !== "string") continue;
    parts += `--${boundary}\r\nContent-Disposition: form-data; name="${
      escapeName(name)
    }"\r\n\r\n${value}\r\n`;
  }
  return parts;
}

/**
 * Escapes quote, CR and LF (WHATWG HTML, "multipart/form-data encoding algorithm"), and other control
 * characters.
 */
function escapeName(name: string): string {
  // deno-lint-ignore no-control-regex -- headers must not contain them
  return name.replace(/["\u0000-\u001f\u007f]/g, (c) => {
    return `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

/** Accepts media types with token parameters only (RFC 9110, 8.3.1). */
function mediaType(type: string | undefined): string {
  return type && /^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/.test(type) ? type : "application/octet-stream";
}

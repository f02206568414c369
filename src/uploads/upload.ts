import { Content, type ContentState } from "./content.ts";
import type { UploadDeclaration } from "./declaration.ts";
import { UploadError } from "./errors.ts";
import type { RawRange } from "./raw_content.ts";
import { onDisk } from "./staged_files.ts";

/** Progress of an upload; plain JSON. */
export interface UploadState extends ContentState {
  /** UUID version 4. */
  upload_id: string;
  /** File name without a path. */
  filename: string;
  /** Time at which the upload expires unless more bytes arrive, RFC 3339 in UTC. */
  expires_at: string;
}

/** A complete, verified file on its way to the engine. */
export interface StagedFile extends Omit<UploadDeclaration, "totalSize"> {
  /** Size in bytes. */
  size: number;
  /** SHA-256 in lower-case hexadecimal. */
  sha256: string;
  /**
   * Streams the file from its start; may be called again for another attempt.
   *
   * @param onProgress Called with the number of bytes of this attempt that were consumed.
   */
  open(onProgress?: (bytes: number) => void): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

/** An operation that excludes all others on the same upload. */
type ExclusiveOperation = "finishing" | "receiving";

/** One upload: serializes its operations and removes its directory at the end. */
export class Upload {
  readonly id: string = crypto.randomUUID();
  readonly declaration: UploadDeclaration;
  readonly #directory: string;
  readonly #content: Content;
  readonly #queue = new SerialQueue();
  readonly #ended = new AbortController();
  #operation: ExclusiveOperation | null = null;
  #endReason: UploadError | undefined;
  #lastPutError: string | undefined;

  constructor(stagingDirectory: string, declaration: UploadDeclaration) {
    this.declaration = declaration;
    this.#directory = `${stagingDirectory}/${this.id}`;
    this.#content = new Content(this.#directory, declaration.totalSize);
  }

  /** Number of bytes received. */
  get bytes(): number {
    return this.#content.bytes;
  }

  /** Whether all bytes have arrived. */
  get isComplete(): boolean {
    return this.#content.isComplete;
  }

  /** Whether an operation is running that keeps the upload from expiring. */
  get isBusy(): boolean {
    return this.#operation !== null;
  }

  state(expiresAt: number): UploadState {
    return {
      upload_id: this.id,
      filename: this.declaration.filename,
      ...this.#content.state,
      expires_at: new Date(expiresAt).toISOString(),
    };
  }

  /** Creates the upload's directory. */
  prepare(): Promise<void> {
    return this.#queue.run(() => onDisk(() => Deno.mkdir(this.#directory, { mode: 0o700 })));
  }

  /**
   * Remembers why a `PUT` failed: the caller of `finish` may be another program and has not seen the
   * response.
   */
  recordPutError(message: string): void {
    this.#lastPutError = message;
  }

  /** Stores a chunk, replacing the one with the same index. */
  async putChunk(index: number, decode: () => Uint8Array): Promise<void> {
    this.#assertIdle();
    this.#content.checkIndex(index);
    const bytes = decode();
    await this.#queue.run(async () => {
      this.#assertAlive();
      await this.#content.putChunk(index, bytes);
    });
  }

  /** Stores raw bytes as they arrive. */
  putRaw(
    range: RawRange,
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    options: { idleTimeoutMs?: number },
  ): Promise<void> {
    return this.#runExclusively("receiving", () =>
      this.#queue.run(async () => {
        this.#assertAlive();
        try {
          await this.#content.putRaw(range, body, { ...options, signal: this.#ended.signal });
          this.#lastPutError = undefined;
        } finally {
          // Replaces "broke off, resume from byte …": an upload that has ended cannot be resumed.
          this.#assertAlive();
        }
      }));
  }

  /**
   * Runs `send` with the complete, verified file. Nothing can change the upload meanwhile.
   *
   * @param signal Stops the verification, which reads the whole file; `send` handles its own cancellation.
   * @throws {UploadError} `incomplete`, `mismatch`, `busy`.
   * @throws {DOMException} `AbortError`, when `signal` aborts before `send` starts.
   */
  finish<T>(send: (file: StagedFile) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#runExclusively("finishing", async () => {
      await this.#queue.drain(); // Chunks that were sent before this call still count.
      this.#assertAlive();
      this.#assertComplete();
      const sha256 = await this.#content.digest(signal);
      this.#assertDigest(sha256);
      const { totalSize: size, ...described } = this.declaration;
      const open: StagedFile["open"] = (onProgress) => Promise.resolve(this.#content.open(onProgress));
      return await send({ ...described, size, sha256, open });
    });
  }

  /**
   * Ends the upload, interrupting a running `PUT`, and removes its directory. May be called again if that
   * fails.
   *
   * @param reason Error of the interrupted operations. Default: `not_found`.
   */
  async end(reason?: UploadError): Promise<void> {
    this.#endReason ??= reason;
    this.#ended.abort();
    await this.#queue.drain();
    await Deno.remove(this.#directory, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }

  async #runExclusively<T>(operation: ExclusiveOperation, work: () => Promise<T>): Promise<T> {
    this.#assertIdle();
    this.#operation = operation;
    try {
      return await work();
    } finally {
      this.#operation = null;
    }
  }

  #assertIdle(): void {
    this.#assertAlive();
    if (this.#operation === null) return;
    throw new UploadError(
      "busy",
      this.#operation === "finishing"
        ? `Upload ${this.id} is being finished: wait for the result of kb_upload_finish.`
        : `Upload ${this.id} is receiving bytes by PUT: wait until that request has ended.`,
    );
  }

  #assertAlive(): void {
    if (!this.#ended.signal.aborted) return;
    throw this.#endReason ??
      new UploadError("not_found", `Upload ${this.id} has just ended: start again with kb_upload_start.`);
  }

  #assertComplete(): void {
    let missing = this.#content.describeMissing();
    if (this.bytes === 0) {
      const error = this.#lastPutError === undefined ? "" : ` The last PUT failed: ${this.#lastPutError}`;
      missing = `no bytes have arrived, ${this.declaration.totalSize} are expected.${error} Send them with ` +
        `kb_upload_chunk, or with a PUT to its upload_url, then finish again.`;
    }
    if (missing === null) return;
    throw new UploadError("incomplete", `Upload ${this.id} cannot be finished yet: ${missing}`);
  }

  #assertDigest(actual: string): void {
    const declared = this.declaration.sha256;
    if (declared === undefined || declared === actual) return;
    let next =
      "Send the chunks that differ again with the same chunk_index (all of them if you cannot tell which)";
    if (this.#content.isRaw) {
      // Raw bytes have no parts to replace. Without them the capability accepts the whole file again.
      this.#content.dropRaw();
      next = "The bytes were dropped: send the whole file again to the same upload_url";
    }
    throw new UploadError(
      "mismatch",
      `Upload ${this.id} is not the declared file: the SHA-256 of the received bytes is ${actual}, but sha256 was ` +
        `declared as ${declared}. ${next}, then finish again. If the declared sha256 was wrong, start again with ` +
        `kb_upload_start.`,
    );
  }
}

/** Runs asynchronous operations one at a time, in the order of the calls. */
class SerialQueue {
  #tail: Promise<void> = Promise.resolve();

  /** Runs `operation` after all earlier ones have settled. */
  run<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(operation);
    this.#tail = result.then(() => {}, () => {});
    return result;
  }

  /** Resolves when all operations so far have settled. */
  drain(): Promise<void> {
    return this.#tail;
  }
}

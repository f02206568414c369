import { type Logger, silentLogger } from "../telemetry/mod.ts";
import { decodeBase64 } from "./base64.ts";
import { checkDeclaration, type UploadDeclaration } from "./declaration.ts";
import { serverStopping, type UploadError, uploadNotFound, uploadUrlNotValid } from "./errors.ts";
import { Quota, type QuotaLimits } from "./quota.ts";
import type { RawRange } from "./raw_content.ts";
import { StagingDirectory } from "./staging_directory.ts";
import { type StagedFile, Upload, type UploadState } from "./upload.ts";
import { type UploadEntry, UploadIndex } from "./upload_index.ts";

/** Limits and injected effects of {@linkcode Uploads}. */
export interface UploadsOptions extends QuotaLimits {
  /** Maximum file size in bytes (`KB_UPLOAD_MAX_BYTES`). */
  maxBytes: number;
  /** Parent of the staging directory. Default: the system's directory for temporary files. */
  directory?: string | undefined;
  /** A monotonic clock, in milliseconds, for idle times. Default: `performance.now`. */
  now?: () => number;
  /** The system clock, in milliseconds since 1970, for the announced times. Default: `Date.now`. */
  wallClock?: () => number;
  /** Receives expired uploads, removed leftovers and files that could not be removed. Default: none. */
  log?: Logger;
}

/** Limits of the interval between two sweeps, in milliseconds. */
const [MIN_SWEEP_MS, MAX_SWEEP_MS] = [1000, 60_000];

/**
 * Uploads in progress, staged on disk and tracked in memory only: a restart drops them (decision D5).
 *
 * Threats: a caller who guesses ids (an upload exists only for the caller who started it); a caller who fills
 * the disk (the declared size is reserved at the start); a caller who abandons uploads (idle ones expire).
 *
 * @example
 * ```ts
 * import { Uploads } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * await using uploads = await Uploads.open({ maxBytes: 1e6, maxPerCaller: 8, maxStagedBytes: 1e7, idleMs: 600_000 });
 * const file = { filename: "hello.txt", totalSize: 5, tags: [], collection: "documents" };
 * const { upload_id } = await uploads.start("caller", file);
 * await uploads.putChunk("caller", upload_id, 0, "aGVsbG8=");
 * const sent = await uploads.finish("caller", upload_id, async ({ open }) => await new Response(await open()).text());
 * assertEquals(sent, "hello");
 * ```
 */
export class Uploads implements AsyncDisposable {
  readonly #options: UploadsOptions;
  readonly #staging: StagingDirectory;
  readonly #log: Logger;
  readonly #index: UploadIndex;
  readonly #quota: Quota;
  readonly #removals = new Set<Promise<void>>();
  /** Ended uploads whose files could not be removed. They keep their quota, because they fill the disk. */
  readonly #unremoved = new Set<Upload>();
  readonly #timer: ReturnType<typeof setInterval>;
  #disposal: Promise<void> | undefined;

  private constructor(options: UploadsOptions, staging: StagingDirectory) {
    this.#options = options;
    this.#staging = staging;
    this.#log = options.log ?? silentLogger;
    this.#index = new UploadIndex(options.idleMs, options.now ?? (() => performance.now()));
    this.#quota = new Quota(options);
    const sweepMs = Math.min(MAX_SWEEP_MS, Math.max(MIN_SWEEP_MS, options.idleMs / 4));
    this.#timer = setInterval(() => void this.sweep(), sweepMs);
    Deno.unrefTimer(this.#timer);
  }

  /** Creates a private staging directory, and removes those of killed processes. */
  static async open(options: UploadsOptions): Promise<Uploads> {
    return new Uploads(options, await StagingDirectory.open(options.directory, options.log ?? silentLogger));
  }

  /** Number of uploads in progress, and of their bytes received so far. */
  get active(): { uploads: number; bytes: number } {
    const bytes = this.#index.all().reduce((sum, { upload }) => sum + upload.bytes, 0);
    return { uploads: this.#index.size, bytes };
  }

  /**
   * Starts an upload.
   *
   * @param caller Identifies its owner.
   * @returns Its state, and the capability that authorizes {@linkcode putRange} on its own.
   * @throws {UploadError} `invalid`, `too_large`, `too_many`, `storage_full`, `stopping`.
   */
  async start(caller: string, request: UploadDeclaration): Promise<UploadState & { capability: string }> {
    const declaration = checkDeclaration(request, this.#options.maxBytes);
    await this.sweep();
    if (this.#disposal) throw serverStopping();
    const directory = await this.#staging.path();
    if (this.#disposal) throw serverStopping();
    const own = this.#index.ofCaller(caller).map((entry) => ({
      id: entry.upload.id,
      filename: entry.upload.declaration.filename,
      remainingMs: this.#index.remainingMs(entry),
    }));
    this.#quota.reserve(declaration.totalSize, own);
    const { entry, capability } = this.#index.add(caller, new Upload(directory, declaration));
    try {
      await entry.upload.prepare();
    } catch (error) {
      await this.#remove(entry);
      throw error;
    }
    return { ...this.#state(entry), capability };
  }

  /**
   * Stores a chunk. Chunks may arrive in any order; one with the same index is replaced.
   *
   * @param index Position among the chunks, from 0.
   * @param base64 The bytes, standard alphabet with padding.
   * @throws {UploadError} `not_found`, `invalid`, `too_large`, `conflict`, `busy`, `storage_full`.
   */
  async putChunk(caller: string, uploadId: string, index: number, base64: string): Promise<UploadState> {
    const entry = this.#find(caller, uploadId);
    await entry.upload.putChunk(index, () => decodeBase64(base64));
    this.#index.touch(entry);
    return this.#state(entry);
  }

  /**
   * Stores raw bytes as they arrive. Keeps the bytes that arrived before the body broke off; another call
   * resumes from there. The capability expires when all bytes have arrived. A body that is not read is
   * cancelled.
   *
   * @param options `idleTimeoutMs`: maximum time between two chunks of the body. Default: no limit.
   * @throws {UploadError} `not_found`, `invalid`, `too_large`, `conflict`, `incomplete`, `busy`,
   * `storage_full`, `stopping`; with `resumeFrom` if the upload can be resumed.
   */
  async putRange(
    capability: string,
    range: RawRange,
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    options: { idleTimeoutMs?: number } = {},
  ): Promise<UploadState> {
    try {
      const entry = this.#findByCapability(capability);
      const before = entry.upload.bytes;
      try {
        await entry.upload.putRaw(range, body, options);
      } finally {
        if (entry.upload.bytes !== before) this.#index.touch(entry);
      }
      return this.#state(entry);
    } finally {
      if (!body.locked) await body.cancel().catch(() => {});
    }
  }

  /** Remembers why a `PUT` failed, for the error of a `finish` before any bytes have arrived. */
  recordPutError(capability: string, message: string): void {
    this.#index.findByCapability(capability)?.upload.recordPutError(message);
  }

  /**
   * Verifies an upload and passes the file to `send`, then removes the upload. If anything fails, the upload
   * is kept and its idle time starts again, so that it can be repaired and finished later.
   *
   * @param send Sends the file to the engine. Its errors are thrown unchanged.
   * @param signal Stops the verification; `send` handles its own cancellation.
   * @throws {UploadError} `not_found`, `incomplete`, `mismatch`, `busy`.
   * @throws {DOMException} `AbortError`, when `signal` aborts before `send` starts.
   */
  async finish<T>(
    caller: string,
    uploadId: string,
    send: (file: StagedFile) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const entry = this.#find(caller, uploadId);
    let result: T;
    try {
      result = await entry.upload.finish(send, signal);
    } finally {
      this.#index.touch(entry);
    }
    await this.#remove(entry);
    return result;
  }

  /**
   * Removes expired uploads and returns their number; also runs periodically. Tries again to remove files that
   * could not be removed before.
   */
  async sweep(): Promise<number> {
    const removals = [...this.#unremoved].map((upload) => this.#removeFiles(upload));
    const expired = this.#index.expired();
    for (const { upload } of expired) {
      this.#log.info("removing expired upload", { upload_id: upload.id, received_bytes: upload.bytes });
    }
    await Promise.all([...removals, ...expired.map((entry) => this.#remove(entry))]);
    return expired.length;
  }

  /** Ends all uploads and removes the staging directory. Can be called more than once. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#disposal ??= this.#dispose();
  }

  async #dispose(): Promise<void> {
    clearInterval(this.#timer);
    for (const entry of this.#index.all()) void this.#remove(entry, serverStopping());
    await Promise.all(this.#removals);
    await this.#staging[Symbol.asyncDispose]();
  }

  #find(caller: string, uploadId: string): UploadEntry {
    const entry = this.#index.find(caller, uploadId);
    if (entry) return entry;
    throw this.#disposal ? serverStopping() : uploadNotFound(uploadId, this.#options.idleMs);
  }

  #findByCapability(capability: string): UploadEntry {
    const entry = this.#index.findByCapability(capability);
    if (entry && !entry.upload.isComplete) return entry;
    throw this.#disposal ? serverStopping() : uploadUrlNotValid(this.#options.idleMs);
  }

  #state(entry: UploadEntry): UploadState {
    const { wallClock = Date.now } = this.#options;
    return entry.upload.state(wallClock() + this.#index.remainingMs(entry));
  }

  /**
   * Removes an upload from the index at once, and releases its quota when its files are removed. Never
   * rejects.
   */
  #remove(entry: UploadEntry, reason?: UploadError): Promise<void> {
    if (!this.#index.delete(entry)) return Promise.resolve();
    return this.#removeFiles(entry.upload, reason);
  }

  #removeFiles(upload: Upload, reason?: UploadError): Promise<void> {
    this.#unremoved.delete(upload);
    const removal = upload.end(reason).then(
      () => this.#quota.release(upload.declaration.totalSize),
      (error) => {
        this.#unremoved.add(upload);
        this.#log.warn("failed to remove staged files", { upload_id: upload.id, error });
      },
    ).finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
    return removal;
  }
}

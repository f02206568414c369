import { type Logger, silentLogger } from "../telemetry/mod.ts";
import { decodeBase64 } from "./base64.ts";
import { hashCapability, newCapability } from "./capability.ts";
import { checkDeclaration } from "./declaration.ts";
import type { UploadError } from "./errors.ts";
import { linkNotValid, serverStopping, uploadNotFound } from "./not_found.ts";
import { assertRoom, untouchedOver } from "./room.ts";
import { Staging } from "./staging.ts";
import type { RawRange, StagedFile, UploadRequest, UploadsOptions, UploadState } from "./types.ts";
import { Upload } from "./upload.ts";

/** What is known of an upload beside its bytes. */
interface Entry {
  readonly caller: string;
  readonly upload: Upload;
  readonly capabilityHash: string;
  /** When something last arrived, by the injected clock. */
  touchedAt: number;
}

/**
 * Uploads in progress, staged on disk and known in memory only: a restart forgets them (decision D5).
 *
 * Threats: a caller who guesses ids (an upload answers to the caller who started it, to any other it does not exist);
 * one who fills the disk (the declared size is reserved at the start); one who walks away (idle uploads expire).
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
  readonly #staging: Staging;
  readonly #now: () => number;
  readonly #log: Logger;
  readonly #byId = new Map<string, Entry>();
  readonly #byCapability = new Map<string, Entry>();
  readonly #removals = new Set<Promise<void>>();
  readonly #timer: ReturnType<typeof setInterval>;
  /** Declared bytes of all uploads whose files are on disk. */
  #reserved = 0;
  #disposal: Promise<void> | undefined;

  private constructor(options: UploadsOptions, staging: Staging) {
    this.#options = options;
    this.#staging = staging;
    this.#now = options.now ?? Date.now;
    this.#log = options.log ?? silentLogger;
    this.#timer = setInterval(() => void this.sweep(), Math.min(60_000, Math.max(1000, options.idleMs / 4)));
    Deno.unrefTimer(this.#timer);
  }

  /** Makes a staging directory that nobody else can read, and removes those that killed processes left behind. */
  static async open(options: UploadsOptions): Promise<Uploads> {
    return new Uploads(options, await Staging.open(options.directory, options.log ?? silentLogger));
  }

  /** Uploads in progress, and the bytes of them that have arrived. */
  get active(): { uploads: number; bytes: number } {
    let bytes = 0;
    for (const { upload } of this.#byId.values()) bytes += upload.received;
    return { uploads: this.#byId.size, bytes };
  }

  /**
   * Begins an upload.
   *
   * @param caller Whom it belongs to.
   * @returns Its state, and the capability by which raw bytes may be sent without any other authorisation.
   * @throws {UploadError} `invalid`, `too_large`, `too_many`, `storage_full`, `stopping`.
   */
  async start(caller: string, request: UploadRequest): Promise<UploadState & { capability: string }> {
    const declared = checkDeclaration(request, this.#options.maxBytes);
    await this.sweep();
    await this.#makeRoom(caller);
    if (this.#disposal) throw serverStopping();
    const own = this.#of(caller).map(({ upload }) => upload);
    assertRoom(declared.totalSize, own, this.#reserved, this.#options);
    const upload = new Upload(this.#staging.directory, declared);
    const capability = newCapability();
    const entry = { caller, upload, capabilityHash: hashCapability(capability), touchedAt: this.#now() };
    this.#byId.set(upload.id, entry);
    this.#byCapability.set(entry.capabilityHash, entry);
    this.#reserved += declared.totalSize;
    try {
      await upload.prepare();
    } catch (error) {
      await this.#remove(entry);
      throw error;
    }
    return { ...this.#state(entry), capability };
  }

  /**
   * Stores a chunk: in any order, and the same index again replaces it.
   *
   * @param index Position among the chunks, from 0.
   * @param base64 The bytes, standard alphabet, padded.
   * @throws {UploadError} `not_found`, `invalid`, `too_large`, `conflict`, `busy`, `storage_full`.
   */
  async putChunk(caller: string, uploadId: string, index: number, base64: string): Promise<UploadState> {
    const entry = this.#find(caller, uploadId);
    await entry.upload.putChunk(index, () => decodeBase64(base64));
    entry.touchedAt = this.#now();
    return this.#state(entry);
  }

  /**
   * Stores raw bytes as they arrive. What has arrived when the body breaks off is kept, and a later call goes on from
   * there. The capability is used up once all bytes are there.
   *
   * @throws {UploadError} `not_found`, `invalid`, `too_large`, `conflict`, `incomplete`, `busy`, `storage_full`,
   * `stopping`; with `resumeFrom` wherever going on is possible.
   */
  async putRange(
    capability: string,
    range: RawRange,
    body: ReadableStream<Uint8Array>,
  ): Promise<UploadState> {
    try {
      const entry = this.#findByCapability(capability);
      const before = entry.upload.received;
      try {
        await entry.upload.putRaw(range, body);
      } finally {
        if (entry.upload.received !== before) entry.touchedAt = this.#now();
      }
      return this.#state(entry);
    } finally {
      if (!body.locked) await body.cancel().catch(() => {});
    }
  }

  /** Remembers what a refused `PUT` was told, for the error of a finish before anything has arrived. */
  noteRefusal(capability: string, message: string): void {
    this.#byCapability.get(hashCapability(capability))?.upload.noteRefusal(message);
  }

  /**
   * Verifies an upload and hands the file over; once `send` has succeeded, the upload is gone. When anything fails it
   * stays, to be put right and finished again; its time starts anew.
   *
   * @param send Takes the file to the engine. What it throws is thrown unchanged.
   * @param signal Ends the verifying; once `send` runs, ending that is its own affair.
   * @throws {UploadError} `not_found`, `incomplete`, `mismatch`, `busy`.
   * @throws {DOMException} `AbortError`, when `signal` aborts before `send` begins.
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
      entry.touchedAt = this.#now();
    }
    await this.#remove(entry);
    return result;
  }

  /**
   * Gives an upload up.
   *
   * @throws {UploadError} `not_found`; `busy` while it is being finished or receives bytes.
   */
  async abort(caller: string, uploadId: string): Promise<void> {
    const entry = this.#find(caller, uploadId);
    entry.upload.assertFree();
    await this.#remove(entry);
  }

  /** Removes uploads that have been idle for too long; runs by itself too. Resolves to how many. */
  async sweep(): Promise<number> {
    const expired = [...this.#byId.values()].filter((entry) => this.#isExpired(entry));
    for (const { upload } of expired) {
      this.#log.info("idle upload removed", { upload_id: upload.id, received_bytes: upload.received });
    }
    await Promise.all(expired.map((entry) => this.#remove(entry)));
    return expired.length;
  }

  /** Ends every upload and removes every staged byte; again is harmless. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#disposal ??= this.#dispose();
  }

  async #dispose(): Promise<void> {
    clearInterval(this.#timer);
    for (const entry of this.#byId.values()) void this.#remove(entry, serverStopping());
    await Promise.all(this.#removals);
    await this.#staging[Symbol.asyncDispose]();
  }

  #of(caller: string): Entry[] {
    return [...this.#byId.values()].filter((entry) => entry.caller === caller);
  }

  /** Removes uploads of the caller that nothing ever came for, as many as stand in the way of one more. */
  async #makeRoom(caller: string): Promise<void> {
    const { maxPerCaller } = this.#options;
    for (let one; (one = untouchedOver(maxPerCaller, this.#of(caller))) !== undefined;) {
      await this.#remove(one);
    }
  }

  #find(caller: string, uploadId: string): Entry {
    const entry = this.#byId.get(uploadId);
    if (entry && entry.caller === caller && !this.#isExpired(entry)) return entry;
    if (this.#disposal) throw serverStopping();
    throw uploadNotFound(uploadId, this.#options.idleMs);
  }

  #findByCapability(capability: string): Entry {
    const entry = this.#byCapability.get(hashCapability(capability));
    if (entry && !entry.upload.complete && !this.#isExpired(entry)) return entry;
    if (this.#disposal) throw serverStopping();
    throw linkNotValid(this.#options.idleMs);
  }

  #isExpired({ upload, touchedAt }: Entry): boolean {
    return upload.doing === null && this.#now() >= touchedAt + this.#options.idleMs;
  }

  #state({ upload, touchedAt }: Entry): UploadState {
    return upload.state(touchedAt + this.#options.idleMs);
  }

  /** Forgets an upload at once, and gives its room back when its files are gone. Never rejects. */
  #remove(entry: Entry, reason?: UploadError): Promise<void> {
    if (!this.#byId.delete(entry.upload.id)) return Promise.resolve();
    this.#byCapability.delete(entry.capabilityHash);
    const removal = entry.upload.end(reason)
      .catch((error) => {
        if (!(error instanceof Deno.errors.NotFound)) {
          this.#log.warn("staged files were not removed", { error });
        }
      })
      .finally(() => {
        this.#reserved -= entry.upload.request.totalSize;
        this.#removals.delete(removal);
      });
    this.#removals.add(removal);
    return removal;
  }
}

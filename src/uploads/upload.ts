import { createHash } from "node:crypto";
import { ChunkStore } from "./chunk_store.ts";
import { onDisk, readFiles } from "./disk.ts";
import { UploadError } from "./errors.ts";
import { Lock } from "./lock.ts";
import { RawStore } from "./raw_store.ts";
import { MAX_LISTED, type RawRange, type StagedFile, type UploadRequest, type UploadState } from "./types.ts";

const AGAIN = "begin again with kb_upload_start";

/** One upload. Whose it is, and how long it may live, is decided elsewhere. */
export class Upload {
  readonly id: string = crypto.randomUUID();
  readonly request: UploadRequest;
  readonly #directory: string;
  readonly #chunks: ChunkStore;
  readonly #raw: RawStore;
  readonly #lock = new Lock();
  readonly #ended = new AbortController();
  #doing: "finishing" | "receiving" | null = null;
  #isPrepared = false;
  /** Whether anything ever came, even if it was dropped since. */
  #hasReceived = false;
  /** Why the upload ended, for whatever was being done with it. */
  #end: UploadError | undefined;
  /** What the last `PUT` was told that was refused. */
  #refusal: string | undefined;

  constructor(stagingDirectory: string, request: UploadRequest) {
    this.request = request;
    this.#directory = `${stagingDirectory}/${this.id}`;
    this.#chunks = new ChunkStore(this.#directory, request.totalSize);
    this.#raw = new RawStore(this.#directory, request.totalSize);
  }

  /** Makes room on disk. */
  prepare(): Promise<void> {
    return this.#lock.run(async () => {
      await onDisk(() => Deno.mkdir(this.#directory, { mode: 0o700 }));
      this.#isPrepared = true;
    });
  }

  /** Bytes on disk. */
  get received(): number {
    return this.#raw.bytes + this.#chunks.bytes;
  }

  /** Whether all bytes are there. */
  get complete(): boolean {
    return this.received === this.request.totalSize && this.#chunks.missingCount === 0;
  }

  /** What is being done with it that makes it not idle, however long it takes. */
  get doing(): "finishing" | "receiving" | null {
    return this.#doing;
  }

  /** Whether it has been started, and since then nothing has come, nor is coming. */
  get isUntouched(): boolean {
    return this.#isPrepared && this.#doing === null && !this.#hasReceived;
  }

  /** Remembers why a `PUT` was refused: whoever finishes the upload may not be who sent it, and has not seen it. */
  noteRefusal(message: string): void {
    this.#refusal = message;
  }

  /** How far it is. */
  state(expiresAt: number): UploadState {
    return {
      upload_id: this.id,
      filename: this.request.filename,
      received_bytes: this.received,
      expected_bytes: this.request.totalSize,
      chunks_received: this.#chunks.count,
      missing_chunks: this.#chunks.firstMissing(MAX_LISTED),
      missing_count: this.#chunks.missingCount,
      ...(this.#chunks.count > 0 && !this.complete ? { next_chunk_index: this.#chunks.next } : {}),
      complete: this.complete,
      expires_at: new Date(expiresAt).toISOString(),
    };
  }

  /** Stores a chunk, in place of the one with the same index if there is one. */
  async putChunk(index: number, decode: () => Uint8Array): Promise<void> {
    this.assertFree();
    this.#chunks.checkIndex(index);
    const bytes = decode();
    this.#hasReceived = true;
    await this.#lock.run(async () => {
      this.#assertAlive();
      if (this.#raw.bytes > 0) {
        throw new UploadError(
          "conflict",
          `Upload ${this.id} is being sent as raw bytes to its upload_url: go on there, from byte ${this.#raw.bytes}. ` +
            `To send chunks instead, ${AGAIN}.`,
        );
      }
      await this.#chunks.put(index, bytes);
    });
  }

  /** Stores raw bytes as they arrive. */
  putRaw(range: RawRange, body: ReadableStream<Uint8Array>): Promise<void> {
    return this.#while("receiving", () =>
      this.#lock.run(async () => {
        this.#assertAlive();
        if (this.#chunks.count > 0) {
          throw new UploadError(
            "conflict",
            `Upload ${this.id} is being sent in chunks: go on with kb_upload_chunk. To send raw bytes instead, ${AGAIN}.`,
          );
        }
        try {
          await this.#raw.append(range, body, this.#ended.signal);
          this.#refusal = undefined;
        } finally {
          this.#hasReceived ||= this.#raw.bytes > 0;
          this.#assertAlive(); // takes the place of "broke off, resume from": there is nothing left to resume
        }
      }));
  }

  /**
   * Runs `work` on the whole, verified file. Nothing can change the upload meanwhile.
   *
   * @param signal Ends the verifying, which reads the whole file; `work` sees to itself.
   * @throws {UploadError} `incomplete`, `mismatch`, `busy`.
   * @throws {DOMException} `AbortError`, when `signal` aborts before `work` begins.
   */
  finish<T>(work: (file: StagedFile) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#while("finishing", async () => {
      await this.#lock.drain(); // chunks that were sent before this call still count
      this.#assertAlive();
      this.#assertWhole();
      const sha256 = await this.#digest(signal);
      this.#assertDigest(sha256);
      const { totalSize, sha256: _declared, ...described } = this.request;
      const open = (onTaken?: (bytes: number) => void) => Promise.resolve(this.#open(onTaken));
      return await work({ ...described, size: totalSize, sha256, open });
    });
  }

  /**
   * Ends it, whatever is being done, and removes its bytes.
   *
   * @param reason What to tell whoever was doing something with it. Default: that it has ended.
   */
  async end(reason?: UploadError): Promise<void> {
    this.#end = reason;
    this.#ended.abort();
    await this.#lock.drain();
    await Deno.remove(this.#directory, { recursive: true });
  }

  /** @throws {UploadError} `busy`, while it is finished or receives a `PUT`. */
  assertFree(): void {
    this.#assertAlive();
    if (this.#doing === null) return;
    throw new UploadError(
      "busy",
      this.#doing === "finishing"
        ? `Upload ${this.id} is being finished: wait for the answer of kb_upload_finish.`
        : `Upload ${this.id} is receiving bytes by PUT: wait until that request has ended.`,
    );
  }

  async #while<T>(doing: "finishing" | "receiving", work: () => Promise<T>): Promise<T> {
    this.assertFree();
    this.#doing = doing;
    try {
      return await work();
    } finally {
      this.#doing = null;
    }
  }

  #assertAlive(): void {
    if (!this.#ended.signal.aborted) return;
    throw this.#end ?? new UploadError("not_found", `Upload ${this.id} has just ended: ${AGAIN}.`);
  }

  #assertWhole(): void {
    const { totalSize } = this.request;
    let missing = this.#chunks.describeMissing();
    if (this.received === 0) {
      const refused = this.#refusal === undefined ? "" : ` The last PUT was refused: ${this.#refusal}`;
      missing =
        `nothing has arrived, ${totalSize} bytes are expected.${refused} Send them with kb_upload_chunk, or by PUT to its ` +
        `upload_url, then finish again.`;
    } else if (this.#raw.bytes > 0) {
      missing = this.complete
        ? null
        : `${totalSize - this.#raw.bytes} bytes are still missing: ${this.#raw.bytes} of ` +
          `${totalSize} have arrived. Go on by PUT to its upload_url from byte ${this.#raw.bytes}, then finish again.`;
    }
    if (missing !== null) {
      throw new UploadError("incomplete", `Upload ${this.id} cannot be finished yet: ${missing}`);
    }
  }

  #assertDigest(actual: string): void {
    const declared = this.request.sha256;
    if (declared === undefined || declared === actual) return;
    let next = "Send the chunks that differ again under their chunk_index (all of them if you cannot tell)";
    if (this.#raw.bytes > 0) {
      // Raw bytes have no parts that could be replaced; without them the link takes the whole file once more.
      this.#raw.reset();
      next = "The bytes were dropped: send the whole file again to the same upload_url";
    }
    throw new UploadError(
      "mismatch",
      `Upload ${this.id} is not the declared file: the SHA-256 of what was received is ${actual}, but sha256 was ` +
        `declared as ${declared}. ${next}, then finish again. If the declared one was wrong, ${AGAIN}.`,
    );
  }

  async #digest(signal: AbortSignal | undefined): Promise<string> {
    const hash = createHash("sha256");
    for await (const piece of this.#open()) {
      if (signal?.aborted) throw new DOMException("Finishing the upload was cancelled.", "AbortError");
      hash.update(piece);
    }
    return hash.digest("hex");
  }

  #open(onTaken?: (bytes: number) => void): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { files } = this.#raw.bytes > 0 ? this.#raw : this.#chunks;
    return readFiles(files.map((name) => `${this.#directory}/${name}`), onTaken);
  }
}

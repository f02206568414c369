import { createHash } from "node:crypto";
import type { Upload } from "./upload.ts";

/** An upload with its owner, its capability and its idle time. */
export interface UploadEntry {
  /** Identifies the caller that started the upload. */
  readonly caller: string;
  readonly upload: Upload;
  readonly capabilityHash: string;
  /** Time at which the upload last received bytes, on the monotonic clock. */
  touchedAt: number;
}

/** Uploads in progress, by id and by capability. Lookups skip uploads that have expired. */
export class UploadIndex {
  readonly #idleMs: number;
  readonly #now: () => number;
  readonly #byId = new Map<string, UploadEntry>();
  readonly #byCapability = new Map<string, UploadEntry>();

  /**
   * @param idleMs Time after which an upload without new bytes expires, in milliseconds.
   * @param now A monotonic clock, in milliseconds: a change of the system clock must not expire an upload early,
   * or keep it for years.
   */
  constructor(idleMs: number, now: () => number) {
    this.#idleMs = idleMs;
    this.#now = now;
  }

  /** Number of uploads, including expired ones that have not been removed yet. */
  get size(): number {
    return this.#byId.size;
  }

  /** All uploads, including expired ones that have not been removed yet. */
  all(): UploadEntry[] {
    return [...this.#byId.values()];
  }

  /** Uploads of a caller. */
  ofCaller(caller: string): UploadEntry[] {
    return this.all().filter((entry) => entry.caller === caller);
  }

  /** Uploads that have expired. */
  expired(): UploadEntry[] {
    return this.all().filter((entry) => this.#isExpired(entry));
  }

  /** Adds an upload and issues its capability: 256 random bits, as text that is safe in a URL. */
  add(caller: string, upload: Upload): { entry: UploadEntry; capability: string } {
    const random = crypto.getRandomValues(new Uint8Array(32));
    const capability = random.toBase64({ alphabet: "base64url", omitPadding: true });
    const entry = { caller, upload, capabilityHash: sha256(capability), touchedAt: this.#now() };
    this.#byId.set(upload.id, entry);
    this.#byCapability.set(entry.capabilityHash, entry);
    return { entry, capability };
  }

  /** Removes an upload; returns false when it has been removed before. */
  delete(entry: UploadEntry): boolean {
    this.#byCapability.delete(entry.capabilityHash);
    return this.#byId.delete(entry.upload.id);
  }

  /** Starts the idle time of an upload again. */
  touch(entry: UploadEntry): void {
    entry.touchedAt = this.#now();
  }

  /** Returns the time until an upload expires unless it receives bytes, in milliseconds. */
  remainingMs(entry: UploadEntry): number {
    return Math.max(0, entry.touchedAt + this.#idleMs - this.#now());
  }

  /** Finds a caller's upload. Ids are not secret, so another caller's upload is not found. */
  find(caller: string, uploadId: string): UploadEntry | undefined {
    const entry = this.#byId.get(uploadId);
    return entry && entry.caller === caller && !this.#isExpired(entry) ? entry : undefined;
  }

  /**
   * Finds an upload by its capability. Only hashes are kept and looked up, so the time of a lookup reveals
   * nothing that helps to guess a capability.
   */
  findByCapability(capability: string): UploadEntry | undefined {
    const entry = this.#byCapability.get(sha256(capability));
    return entry && !this.#isExpired(entry) ? entry : undefined;
  }

  #isExpired(entry: UploadEntry): boolean {
    return !entry.upload.isBusy && this.remainingMs(entry) === 0;
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

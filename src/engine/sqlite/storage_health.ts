import { join } from "node:path";
import type { Logger } from "../../telemetry/mod.ts";
import { KnowledgeBaseError, type StorageState } from "../knowledge_base/mod.ts";
import {
  dataDirAt,
  isOutOfMemory,
  OpenFile,
  type StorageFault,
  storageFault,
  storageFaultError,
} from "./store/mod.ts";

/** Minimum time between two test writes, in milliseconds. */
const PROBE_INTERVAL_MS = 10_000;
/** Minimum time between two test writes while the last one or the last write failed, in milliseconds. */
const FAULT_PROBE_INTERVAL_MS = 1000;
/** Size of a test write, in bytes: less free space is not enough to store a document. */
const PROBE_BYTES = 256 * 1024;

/** Options of {@linkcode StorageHealth}. */
export interface StorageHealthOptions {
  /** Path of the data directory. */
  readonly dataDir: string;
  /** Whether the disk was read-only when the data was opened: then nothing is written until the restart. */
  readonly isReadOnly: boolean;
  readonly log: Logger;
  /** Called once, when damage is found. */
  readonly onDamage: (error: KnowledgeBaseError) => void;
  /** Monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Tracks whether the data can be read and written. Damage lasts until the process ends, since caches and the
 * writer may hold parts of it; a full or read-only disk lasts until a test write succeeds.
 */
export class StorageHealth {
  readonly #options: StorageHealthOptions;
  readonly #database: OpenFile;
  #damage: KnowledgeBaseError | undefined;
  /** Fault of the last write. */
  #writeFault: StorageFault | undefined;
  /** Fault of the last test write. */
  #probeFault: StorageFault | undefined;
  #probedAt: number;
  readonly #now: () => number;
  #probe: Promise<void> | undefined;

  constructor(options: StorageHealthOptions) {
    this.#options = options;
    this.#database = new OpenFile(dataDirAt(options.dataDir).database);
    this.#now = options.now ?? (() => performance.now());
    this.#probedAt = this.#now();
  }

  /** Current state, without a test write. */
  get state(): StorageState {
    if (this.#damage) return "storage_damaged";
    if (this.#options.isReadOnly) return "read_only";
    // A write to a disk that became read-only fails with the same code as one to a failing disk.
    return this.#probeFault ?? this.#writeFault ?? "ok";
  }

  /** Returns the state, after a test write unless there was one recently. */
  async check(): Promise<StorageState> {
    const interval = this.state === "ok" ? PROBE_INTERVAL_MS : FAULT_PROBE_INTERVAL_MS;
    if (!this.#damage && !this.#options.isReadOnly && this.#now() - this.#probedAt >= interval) {
      await (this.#probe ??= this.#writeProbe().finally(() => this.#probe = undefined));
    }
    return this.state;
  }

  /**
   * Runs a read.
   *
   * @throws {KnowledgeBaseError} `storage_damaged` or `busy` in place of an error of SQLite.
   */
  async read<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.reportRead(error);
    }
  }

  /**
   * Runs a write, and records that the disk does not accept it. One that succeeds says nothing: it may have changed
   * nothing, or have found some bytes on a full disk.
   */
  async write<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const fault = storageFault(error);
      if (fault === "storage_damaged") throw this.#reportDamage(error);
      if (fault) {
        this.#writeFault = fault;
        this.#probedAt = this.#now();
      }
      throw error;
    }
  }

  /** Records the error of a read. Returns the error to throw. */
  reportRead(error: unknown): unknown {
    const fault = storageFault(error);
    if (isOutOfMemory(error)) {
      const message = "The engine has no free memory: try again in a moment";
      return new KnowledgeBaseError("busy", message, { cause: error });
    }
    if (fault === undefined) return error;
    // For a read, an I/O error means that a page is lost.
    return fault === "read_only" ? storageFaultError(fault, error) : this.#reportDamage(error);
  }

  #reportDamage(cause: unknown): KnowledgeBaseError {
    if (this.#damage) return this.#damage;
    const { dataDir, log, onDamage } = this.#options;
    this.#damage = storageFaultError("storage_damaged", cause);
    log.error(
      "the stored data is damaged or was replaced, and nothing is written any more: stop kb-mcp, then put it back, restore a backup or run kb-mcp repair",
      { data_dir: dataDir, error: cause },
    );
    onDamage(this.#damage);
    return this.#damage;
  }

  async #writeProbe(): Promise<void> {
    const path = join(this.#options.dataDir, "kb.probe");
    try {
      this.#database.assertInPlace();
    } catch (error) {
      this.#reportDamage(error);
      return;
    }
    try {
      await Deno.writeFile(path, new Uint8Array(PROBE_BYTES), { mode: 0o600 });
      this.#writeFault = this.#probeFault = undefined;
    } catch (error) {
      // Another error, such as too many open files, says nothing about the disk.
      this.#probeFault = storageFault(error);
    } finally {
      await Deno.remove(path).catch(() => {});
      this.#probedAt = this.#now();
    }
  }
}

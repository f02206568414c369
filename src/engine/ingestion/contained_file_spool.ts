import { type ContainedFileLimits, tooManyBytes, tooManyFiles } from "../../extraction/mod.ts";
import type { ReceivedFile } from "../../extraction_process/mod.ts";
import { type FileTotals, KnowledgeBaseError, type NewContainedFile } from "../knowledge_base/mod.ts";
import type { ContainedFileSink } from "./extractor.ts";
import { MemberPaths } from "./member_paths.ts";
import type { Spool } from "./spool.ts";

/** Options of {@linkcode ContainedFileSpool}. */
export interface ContainedFileSpoolOptions {
  /** Holds the files. */
  readonly spool: Spool;
  /** Name of the container for error messages. */
  readonly name: string;
  /** Limits of the files of the outermost container together. */
  readonly limits: ContainedFileLimits;
  /** Whether the container is in no other one. */
  readonly isOutermost: boolean;
  /**
   * Returns what the outermost container has yielded so far, and the waiting files of all. Called once, with the first
   * file.
   */
  readonly totals: () => Promise<FileTotals & { readonly waiting: FileTotals }>;
}

/**
 * Spools the files of one archive or message while it is read. Disposing removes them unless their jobs have been
 * stored, in which case the jobs own them.
 */
export class ContainedFileSpool implements AsyncDisposable, ContainedFileSink {
  readonly #options: ContainedFileSpoolOptions;
  #paths = new MemberPaths();
  #files: NewContainedFile[] = [];
  #totals: ReturnType<ContainedFileSpoolOptions["totals"]> | undefined;
  #totalBytes = 0;
  #isStored = false;

  constructor(options: ContainedFileSpoolOptions) {
    this.#options = options;
  }

  /** Files so far. They are synced by {@linkcode ContainedFileSpool.sync}. */
  get files(): readonly NewContainedFile[] {
    return this.#files;
  }

  /** Limits for one container. */
  get limits(): ContainedFileLimits {
    return this.#options.limits;
  }

  /** Removes the files so far. */
  async reset(): Promise<void> {
    await this.#removeFiles();
    this.#paths = new MemberPaths();
    this.#files = [];
    this.#totalBytes = 0;
  }

  /**
   * Adds a file.
   *
   * Threat: 50 archives of 1 MB unpack to 50 GiB. Only when the waiting files of others are within the limits for one
   * container is another one unpacked.
   *
   * @throws {ExtractionError} `too_large` when the outermost container exceeds its limits.
   * @throws {KnowledgeBaseError} `queue_full` when too many files of other containers wait.
   */
  async add({ path, contentType, sizeBytes, bytes, error }: ReceivedFile): Promise<void> {
    const { spool, name, isOutermost, limits: { maxFiles, maxTotalBytes } } = this.#options;
    const totals = await (this.#totals ??= this.#options.totals());
    const { waiting } = totals;
    if (isOutermost && (waiting.files >= maxFiles || waiting.bytes >= maxTotalBytes)) {
      throw new KnowledgeBaseError("queue_full", "Too many files of other archives and messages wait");
    }
    this.#totalBytes += sizeBytes;
    if (totals.files + this.#files.length >= maxFiles) {
      throw tooManyFiles(name, maxFiles);
    }
    if (totals.bytes + this.#totalBytes > maxTotalBytes) throw tooManyBytes(name, maxTotalBytes);
    const file = { path: this.#paths.add(path), ...(contentType !== undefined && { contentType }) };
    if (error) {
      this.#files.push({ ...file, error });
      return;
    }
    const { name: spoolFile, sha256: contentHash } = await spool.write(bytes, { syncsDirectory: false });
    this.#files.push({ ...file, spoolFile, contentHash, sizeBytes });
  }

  /** Makes the files durable. Must be awaited before their jobs are stored. */
  async sync(): Promise<void> {
    if (this.#files.length > 0) await this.#options.spool.sync();
  }

  /**
   * Runs the write that stores the jobs of the files. After it, and after an error that leaves it unknown whether
   * they are stored, the files are not removed.
   */
  async handOver<T>(write: () => Promise<T>): Promise<T> {
    this.#isStored = true;
    try {
      return await write();
    } catch (error) {
      // The transaction was rolled back.
      if (error instanceof KnowledgeBaseError) this.#isStored = false;
      throw error;
    }
  }

  /** Removes the files that no job has. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isStored) await this.#removeFiles();
  }

  async #removeFiles(): Promise<void> {
    for (const { spoolFile } of this.#files) {
      // A file that cannot be removed is swept at the next start.
      if (spoolFile !== undefined) await this.#options.spool.remove(spoolFile).catch(() => {});
    }
  }
}

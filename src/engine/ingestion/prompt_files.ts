import type { Job } from "../../contract/mod.ts";
import type { ChunkOptions } from "../../extraction/mod.ts";
import { type Histogram, MetricsRegistry, withSpan } from "../../telemetry/mod.ts";
import {
  type IngestionQueue,
  ingestionStages,
  KnowledgeBaseError,
  type NewJob,
  type ReadText,
  type TextDocument,
} from "../knowledge_base/mod.ts";

/** Options of {@linkcode PromptFiles}. */
export interface PromptFilesOptions {
  /** Stores the documents. */
  readonly queue: Pick<IngestionQueue, "addFile">;
  /** Reads the files. */
  readonly readText: ReadText;
  /** Chunk sizes. */
  readonly chunk: ChunkOptions;
  /** Receives the duration of the stages. @default a registry of its own */
  readonly metrics?: MetricsRegistry;
}

/** Stores small text files in the commit that accepts them, without the spool, a claim and a process. */
export class PromptFiles {
  readonly #options: PromptFilesOptions;
  readonly #stages: Histogram;

  constructor(options: PromptFilesOptions) {
    this.#options = options;
    this.#stages = ingestionStages(options.metrics ?? new MetricsRegistry());
  }

  /**
   * Reads and stores a file.
   *
   * @param charge Charges memory for the text and its index, in bytes, while they wait to be stored. Returns whether there
   * is enough. Default: not limited.
   * @returns The job, which is done; undefined if the file has to be queued, and nothing was changed.
   * @throws {KnowledgeBaseError} `queue_full`, `storage_full`, `outcome_unknown` and the like.
   */
  async add(
    job: NewJob,
    bytes: Uint8Array,
    charge: (bytes: number) => boolean = () => true,
  ): Promise<Job | undefined> {
    const { queue, readText, chunk } = this.#options;
    const { filename, contentType, title } = job;
    const document = await this.#stage(
      "extract",
      () => readText({ bytes, filename, contentType, title, chunk }),
    );
    if (!document || !charge(sizeOf(document))) return undefined;
    try {
      return await this.#stage("store", () => queue.addFile(job, document)) ?? undefined;
    } catch (error) {
      // Queued, it fails by itself, with its file kept for a retry.
      if (error instanceof KnowledgeBaseError && error.code === "internal") return undefined;
      throw error;
    }
  }

  /** Runs a stage, and measures it unless the file has to be queued. */
  async #stage<T>(stage: string, run: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const result = await withSpan(`ingestion ${stage}`, {}, run);
    if (result) this.#stages.observe((performance.now() - startedAt) / 1000, { stage });
    return result;
  }
}

/** Size of a chunk without its texts, in bytes. */
const CHUNK_BYTES = 512;

/** Returns the memory that a document takes, in bytes: several times as much as its file. */
function sizeOf({ chunks, prepared }: TextDocument): number {
  const chars = chunks.reduce((total, { text }) => total + text.length, 0) +
    prepared.chunks.reduce(
      (total, { searchText, heading, derived = ["", ""] }) =>
        total + (searchText?.length ?? 0) + heading.length + derived[0].length + derived[1].length,
      0,
    );
  return 2 * chars + CHUNK_BYTES * chunks.length;
}

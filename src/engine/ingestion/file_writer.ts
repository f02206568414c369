import type { ChunkDraft } from "../../extraction/mod.ts";
import type { EndedJob, IngestedFile, IngestionQueue } from "../knowledge_base/mod.ts";

/**
 * Number of chunks of one write: about 15 ms, for which other writes wait. A text with more is written in slices,
 * which cost one commit each.
 */
const SLICE_CHUNKS = 64;

/**
 * Stores an extracted file: a short one in one write that also ends its job, a long one in slices while it is being
 * extracted, between which other writes run.
 */
export class FileWriter {
  readonly #queue: Pick<IngestionQueue, "stageChunks" | "finishFile">;
  readonly #jobId: number;
  readonly #sliceChunks: number;
  #title: string | undefined;
  #contentId: number | undefined;
  /** Number of written chunks. */
  #position = 0;
  /** Chunks that are not written yet. */
  #chunks: ChunkDraft[] = [];

  /** @param options.sliceChunks Number of chunks of one write. @default {64} */
  constructor(
    queue: Pick<IngestionQueue, "stageChunks" | "finishFile">,
    jobId: number,
    { sliceChunks = SLICE_CHUNKS }: { readonly sliceChunks?: number } = {},
  ) {
    this.#queue = queue;
    this.#jobId = jobId;
    this.#sliceChunks = sliceChunks;
  }

  /** Starts a text, and gives up that of an earlier attempt. */
  start(title: string | undefined): void {
    this.#title = title;
    this.#contentId = undefined;
    this.#position = 0;
    this.#chunks = [];
  }

  /** Takes the next chunks. After an error, the file must be started again. */
  async add(chunks: readonly ChunkDraft[]): Promise<void> {
    this.#chunks.push(...chunks);
    while (this.#chunks.length > 2 * this.#sliceChunks) await this.#writeSlice();
  }

  /** Stores the rest and ends the job. After an error, calling it again continues with the write that failed. */
  async finish(file: Omit<IngestedFile, "jobId" | "chunks">): Promise<EndedJob> {
    const rest = { jobId: this.#jobId, contentId: this.#contentId };
    if (this.#contentId === undefined) {
      return await this.#queue.finishFile({ ...file, ...rest, chunks: this.#chunks });
    }
    while (this.#chunks.length > 0) await this.#writeSlice(this.#position + this.#chunks.length);
    return await this.#queue.finishFile({ ...file, ...rest, chunks: [] });
  }

  /** @param total Number of chunks of the file, if known. */
  async #writeSlice(total?: number): Promise<void> {
    const slice = this.#chunks.slice(0, this.#sliceChunks);
    this.#contentId = await this.#queue.stageChunks({
      jobId: this.#jobId,
      contentId: this.#contentId,
      title: this.#title,
      position: this.#position,
      ...(total !== undefined && { total }),
      chunks: slice,
    });
    this.#position += slice.length;
    this.#chunks = this.#chunks.slice(slice.length);
  }
}

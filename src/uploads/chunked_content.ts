import { UploadError } from "./errors.ts";
import { writeAtomically } from "./staged_files.ts";

/** Maximum number of missing indexes that a state or an error lists. */
export const MAX_LISTED = 50;

/** Maximum chunk index of any upload. */
const MAX_INDEX = 99_999;
/** Maximum chunk index of the smallest uploads. Larger files allow more chunks. */
const MIN_MAX_INDEX = 9_999;
/** Disk block size: many chunks below it would take more disk space than their bytes add up to. */
const BLOCK_BYTES = 4096;

/** The chunks of one upload, each in a file named by its index. Calls must not overlap. */
export class ChunkedContent {
  readonly #directory: string;
  readonly #totalSize: number;
  readonly #sizes = new Map<number, number>();
  #bytes = 0;
  #highest = -1;

  constructor(directory: string, totalSize: number) {
    this.#directory = directory;
    this.#totalSize = totalSize;
  }

  /** Number of chunks. */
  get count(): number {
    return this.#sizes.size;
  }

  /** Total size of the chunks in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** File names in the order of the chunks, for chunks without gaps. */
  get files(): string[] {
    return Array.from({ length: this.count }, (_, index) => String(index));
  }

  /** Lowest index without a chunk. */
  get nextIndex(): number {
    return this.firstMissing(1)[0] ?? this.#highest + 1;
  }

  /** Number of indexes without a chunk below the highest one with a chunk. */
  get missingCount(): number {
    return this.#highest + 1 - this.#sizes.size;
  }

  /** First `limit` indexes without a chunk below the highest one with a chunk. */
  firstMissing(limit: number): number[] {
    const missing: number[] = [];
    const count = Math.min(limit, this.missingCount);
    for (let index = 0; missing.length < count; index++) {
      if (!this.#sizes.has(index)) missing.push(index);
    }
    return missing;
  }

  /** @throws {UploadError} `invalid` for an index that no chunk of this file can have. */
  checkIndex(index: number): void {
    const blocks = Math.ceil(this.#totalSize / BLOCK_BYTES);
    const maxIndex = Math.min(MAX_INDEX, Math.max(MIN_MAX_INDEX, blocks - 1));
    if (Number.isInteger(index) && index >= 0 && index <= maxIndex) return;
    throw new UploadError(
      "invalid",
      `chunk_index must be a whole number from 0 to ${maxIndex}, got ${index}. ` +
        `Number the chunks 0, 1, 2, … in the order of the file, each 1 MiB before encoding.`,
    );
  }

  /** Stores a chunk, replacing the one with the same index. */
  async put(index: number, bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) {
      throw new UploadError("invalid", `Chunk ${index} is empty: data must hold at least one byte.`);
    }
    const total = this.#bytes - (this.#sizes.get(index) ?? 0) + bytes.length;
    if (total > this.#totalSize) {
      throw new UploadError(
        "too_large",
        `Chunk ${index} of ${bytes.length} bytes would make ${total} bytes in total, but total_size is ` +
          `${this.#totalSize}. It was not stored. Check chunk_index and data; if total_size was wrong, start again ` +
          `with kb_upload_start.`,
      );
    }
    await writeAtomically(this.#directory, String(index), bytes);
    this.#bytes = total;
    this.#sizes.set(index, bytes.length);
    this.#highest = Math.max(this.#highest, index);
  }

  /** Describes missing chunks or bytes, and how to send them; null when the file is complete. */
  describeMissing(): string | null {
    const { missingCount, bytes } = this;
    const received = `${bytes} of ${this.#totalSize} bytes received`;
    if (missingCount > 0) {
      const listed = this.firstMissing(MAX_LISTED);
      const more = missingCount > listed.length ? ` and ${missingCount - listed.length} more` : "";
      const [are, them] = missingCount === 1 ? ["is", "it"] : ["are", "them"];
      return `chunk_index ${
        listed.join(", ")
      }${more} of 0 to ${this.#highest} ${are} missing (${received}). ` +
        `Send ${them} with kb_upload_chunk, then finish again.`;
    }
    const missingBytes = this.#totalSize - bytes;
    return missingBytes === 0
      ? null
      : `${missingBytes} bytes are still missing: ${received} without a gap. Continue with chunk_index ` +
        `${this.#highest + 1}, or send a truncated chunk again, then finish again.`;
  }
}

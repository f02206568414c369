import { ChunkSet } from "./chunk_set.ts";
import { writeWhole } from "./disk.ts";
import { UploadError } from "./errors.ts";
import { MAX_LISTED } from "./types.ts";

const MAX_INDEX = 99_999;
/** Blocks of the disk: many smaller chunks would take more of it than their bytes say. */
const BLOCK = 4096;

/** The chunks of one upload, each a file named by its index. Calls must not overlap. */
export class ChunkStore extends ChunkSet {
  readonly #directory: string;
  readonly #totalSize: number;

  constructor(directory: string, totalSize: number) {
    super();
    this.#directory = directory;
    this.#totalSize = totalSize;
  }

  /** Refuses an index that no chunk of this file can have. */
  checkIndex(index: number): void {
    const highest = Math.min(MAX_INDEX, Math.max(9_999, Math.ceil(this.#totalSize / BLOCK) - 1));
    if (Number.isInteger(index) && index >= 0 && index <= highest) return;
    throw new UploadError(
      "invalid",
      `chunk_index must be a whole number from 0 to ${highest}, got ${index}. ` +
        `Number the chunks 0, 1, 2, … in the order of the file, each 1 MiB before encoding.`,
    );
  }

  /** Stores a chunk, in place of the one with the same index if there is one. */
  async put(index: number, bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) {
      throw new UploadError("invalid", `Chunk ${index} is empty: data must hold at least one byte.`);
    }
    const sum = this.bytesWith(index, bytes.length);
    if (sum > this.#totalSize) {
      throw new UploadError(
        "too_large",
        `Chunk ${index} of ${bytes.length} bytes would make ${sum} bytes in all, but total_size is ` +
          `${this.#totalSize}. It was not stored. Check chunk_index and data; if total_size was wrong, begin again ` +
          `with kb_upload_start.`,
      );
    }
    await writeWhole(this.#directory, String(index), bytes);
    this.set(index, bytes.length);
  }

  /** Names of the files, in the order of the chunks; for a set without gaps. */
  get files(): string[] {
    return Array.from({ length: this.count }, (_, index) => String(index));
  }

  /** What is missing, and what to do about it, in words; null when nothing is. */
  describeMissing(): string | null {
    const { missingCount, bytes, highest } = this;
    const arrived = `${bytes} of ${this.#totalSize} bytes have arrived`;
    if (missingCount > 0) {
      const listed = this.firstMissing(MAX_LISTED);
      const more = missingCount > listed.length ? ` and ${missingCount - listed.length} more` : "";
      return `chunk_index ${listed.join(", ")}${more} of 0 to ${highest} ${
        missingCount === 1 ? "is" : "are"
      } missing ` +
        `(${arrived}). Send ${missingCount === 1 ? "it" : "them"} with kb_upload_chunk, then finish again.`;
    }
    const short = this.#totalSize - bytes;
    return short === 0
      ? null
      : `${short} bytes are still missing: ${arrived}, without a gap. Go on with chunk_index ` +
        `${highest + 1}, or send a chunk again that was cut short, then finish again.`;
  }
}

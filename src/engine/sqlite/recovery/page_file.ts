/** Size of a header of a write-ahead log, and of each of its frames, in bytes. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Page size of a database whose header cannot be read. */
const DEFAULT_PAGE_SIZE = 4096;

/**
 * The pages of a database file, with the committed pages of its write-ahead log, read without SQLite. Formats:
 * https://www.sqlite.org/fileformat2.html
 */
export class PageFile implements Disposable {
  readonly pageSize: number;
  /** Number of pages. */
  readonly count: number;
  readonly #database: Deno.FsFile;
  readonly #log: Deno.FsFile | undefined;
  /** Offset of the newest committed content in the log, by page number. */
  readonly #inLog = new Map<number, number>();

  constructor(path: string) {
    this.#database = Deno.openSync(path);
    const header = read(this.#database, 0, 100);
    const size = header.getUint16(16);
    this.pageSize = size === 1 ? 65536 : size >= 512 && (size & (size - 1)) === 0 ? size : DEFAULT_PAGE_SIZE;
    try {
      this.#log = Deno.openSync(`${path}-wal`);
      this.#readLog(this.#log);
    } catch {
      // There is no log.
    }
    let count = Math.floor(this.#database.statSync().size / this.pageSize);
    for (const page of this.#inLog.keys()) count = Math.max(count, page);
    this.count = count;
  }

  /**
   * Returns the content of a page.
   *
   * @param number Number from 1.
   */
  page(number: number): DataView {
    const inLog = this.#inLog.get(number);
    return inLog === undefined
      ? read(this.#database, (number - 1) * this.pageSize, this.pageSize)
      : read(this.#log!, inLog, this.pageSize);
  }

  [Symbol.dispose](): void {
    this.#database.close();
    this.#log?.close();
  }

  /** Follows the chain of checksums, as SQLite does: the content after a damaged frame cannot be trusted. */
  #readLog(log: Deno.FsFile): void {
    const header = read(log, 0, LOG_HEADER_BYTES);
    const isLittleEndian = (header.getUint32(0) & 1) === 0;
    const { size } = log.statSync();
    let sums: readonly [number, number] = checksum(header, 0, 24, [0, 0], isLittleEndian);
    let uncommitted: [number, number][] = [];
    const frameSize = FRAME_HEADER_BYTES + this.pageSize;
    for (let at = LOG_HEADER_BYTES; at + frameSize <= size; at += frameSize) {
      const frame = read(log, at, frameSize);
      if (frame.getUint32(8) !== header.getUint32(16) || frame.getUint32(12) !== header.getUint32(20)) return;
      sums = checksum(frame, 0, 8, sums, isLittleEndian);
      sums = checksum(frame, FRAME_HEADER_BYTES, this.pageSize, sums, isLittleEndian);
      if (frame.getUint32(16) !== sums[0] || frame.getUint32(20) !== sums[1]) return;
      uncommitted.push([frame.getUint32(0), at + FRAME_HEADER_BYTES]);
      const isCommit = frame.getUint32(4) > 0;
      if (!isCommit) continue;
      for (const [page, offset] of uncommitted) this.#inLog.set(page, offset);
      uncommitted = [];
    }
  }
}

/** Checksum of a write-ahead log: Fibonacci weights over pairs of 32-bit words. */
function checksum(
  view: DataView,
  offset: number,
  length: number,
  [first, second]: readonly [number, number],
  isLittleEndian: boolean,
): [number, number] {
  for (let at = offset; at < offset + length; at += 8) {
    first = (first + view.getUint32(at, isLittleEndian) + second) >>> 0;
    second = (second + view.getUint32(at + 4, isLittleEndian) + first) >>> 0;
  }
  return [first, second];
}

/** Reads bytes; those after the end of the file are zero. */
function read(file: Deno.FsFile, offset: number, length: number): DataView {
  const bytes = new Uint8Array(length);
  file.seekSync(offset, Deno.SeekMode.Start);
  for (let at = 0; at < length;) {
    const n = file.readSync(bytes.subarray(at));
    if (n === null) break;
    at += n;
  }
  return new DataView(bytes.buffer);
}

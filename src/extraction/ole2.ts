import { damaged } from "./errors.ts";

/** Size of a directory entry ([MS-CFB] §2.6). */
const ENTRY_BYTES = 128;
/** Streams shorter than this are stored in the mini stream ([MS-CFB] §2.4). */
const MINI_STREAM_CUTOFF = 4096;
/** Number of FAT sector addresses in the header. */
const HEADER_DIFAT = 109;
/** Sector numbers from here on mark the end of a chain or free sectors. */
const MAX_REGULAR_SECTOR = 0xfffffffa;
const NO_STREAM = 0xffffffff;
/** Types of directory entries. */
const STORAGE = 1;
const STREAM = 2;

/** A stream or storage in the root of a compound file. */
interface DirectoryEntry {
  readonly name: string;
  readonly type: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}

/**
 * An OLE2 compound file ([MS-CFB]): the container of Office formats before 2007, of Outlook messages and of
 * password-protected Office files. Only the streams in its root are accessible.
 */
export class CompoundFile {
  readonly #view: DataView;
  readonly #sectorBytes: number;
  readonly #miniSectorBytes: number;
  readonly #fat: Uint32Array;
  readonly #directory: DirectoryEntry[];
  readonly #root: ReadonlyMap<string, DirectoryEntry>;
  #mini: { fat: Uint32Array; stream: Uint8Array } | undefined;

  /** @throws {ExtractionError} `damaged` without a readable directory. */
  constructor(readonly bytes: Uint8Array<ArrayBuffer>, name: string) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
      this.#sectorBytes = powerOfTwo(this.#view.getUint16(30, true), 7, 16);
      this.#miniSectorBytes = powerOfTwo(this.#view.getUint16(32, true), 2, 12);
      this.#fat = this.#readFat();
      this.#directory = this.#readDirectory();
      this.#root = this.#childrenOfRoot();
    } catch (cause) {
      throw damaged(name, "its directory is truncated or damaged. Upload the original file", cause);
    }
  }

  /** Names of the streams and storages in the root. */
  get names(): string[] {
    return [...this.#root.keys()];
  }

  /** Whether the root has a stream or storage with this name. */
  has(name: string): boolean {
    return this.#root.has(name);
  }

  /**
   * Returns the content of a stream in the root; cut where the file ends or the chain of its sectors is damaged.
   *
   * @param maxBytes Maximum number of bytes to return.
   */
  read(name: string, maxBytes = Number.MAX_SAFE_INTEGER): Uint8Array<ArrayBuffer> | undefined {
    const entry = this.#root.get(name);
    if (entry?.type !== STREAM) return undefined;
    const size = Math.min(entry.size, maxBytes, this.bytes.length);
    if (entry.size >= MINI_STREAM_CUTOFF) return this.#readChain(entry.start, size);
    const { fat, stream } = this.#mini ??= this.#readMiniStream();
    return readChain(entry.start, size, fat, this.#miniSectorBytes, (sector) => {
      const start = sector * this.#miniSectorBytes;
      return stream.subarray(start, start + this.#miniSectorBytes);
    });
  }

  #sector(sector: number): Uint8Array {
    const start = (sector + 1) * this.#sectorBytes;
    return this.bytes.subarray(start, start + this.#sectorBytes);
  }

  #readChain(start: number, size: number): Uint8Array<ArrayBuffer> {
    return readChain(start, size, this.#fat, this.#sectorBytes, (sector) => this.#sector(sector));
  }

  #readMiniStream(): { fat: Uint32Array; stream: Uint8Array } {
    const { start, size } = this.#directory[0]!;
    const fatBytes = this.#view.getUint32(64, true) * this.#sectorBytes;
    const fat = words(this.#readChain(this.#view.getUint32(60, true), Math.min(fatBytes, this.bytes.length)));
    return { fat, stream: this.#readChain(start, Math.min(size, this.bytes.length)) };
  }

  /** Reads the sectors of the FAT from the header and the chain of DIFAT sectors ([MS-CFB] §2.5). */
  #readFat(): Uint32Array {
    const sectors: number[] = [];
    const maxSectors = Math.ceil(this.bytes.length / this.#sectorBytes);
    const add = (sector: number) => {
      if (sector < MAX_REGULAR_SECTOR && sectors.length <= maxSectors) sectors.push(sector);
    };
    for (let i = 0; i < HEADER_DIFAT; i++) add(this.#view.getUint32(76 + 4 * i, true));
    let next = this.#view.getUint32(68, true);
    for (let visited = 0; next < MAX_REGULAR_SECTOR && visited < maxSectors; visited++) {
      const difat = words(this.#sector(next));
      for (let i = 0; i < difat.length - 1; i++) add(difat[i]!);
      next = difat.at(-1) ?? NO_STREAM;
    }
    const perSector = this.#sectorBytes / 4;
    const fat = new Uint32Array(sectors.length * perSector).fill(NO_STREAM);
    sectors.forEach((sector, i) => fat.set(words(this.#sector(sector)), i * perSector));
    return fat;
  }

  #readDirectory(): DirectoryEntry[] {
    const bytes = this.#readChain(this.#view.getUint32(48, true), this.bytes.length);
    const view = new DataView(bytes.buffer);
    const entries: DirectoryEntry[] = [];
    for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
      const nameBytes = Math.min(Math.max(view.getUint16(at + 64, true) - 2, 0), 62);
      entries.push({
        name: new TextDecoder("utf-16le").decode(bytes.subarray(at, at + nameBytes)),
        type: view.getUint8(at + 66),
        left: view.getUint32(at + 68, true),
        right: view.getUint32(at + 72, true),
        child: view.getUint32(at + 76, true),
        start: view.getUint32(at + 116, true),
        size: view.getUint32(at + 120, true),
      });
    }
    if (entries.length === 0) throw new RangeError("the directory has no entries");
    return entries;
  }

  /** Walks the tree of siblings under the root entry. */
  #childrenOfRoot(): Map<string, DirectoryEntry> {
    const children = new Map<string, DirectoryEntry>();
    const visited = new Set<number>();
    const pending = [this.#directory[0]!.child];
    while (pending.length > 0) {
      const index = pending.pop()!;
      const entry = this.#directory[index];
      if (!entry || visited.has(index)) continue;
      visited.add(index);
      if (entry.type === STREAM || entry.type === STORAGE) children.set(entry.name, entry);
      pending.push(entry.left, entry.right);
    }
    return children;
  }
}

/** Reads a chain of sectors. A damaged chain ends early; a cycle ends with `size`. */
function readChain(
  start: number,
  size: number,
  fat: Uint32Array,
  sectorBytes: number,
  sectorAt: (sector: number) => Uint8Array,
): Uint8Array<ArrayBuffer> {
  const sectors: Uint8Array[] = [];
  let total = 0;
  for (let sector = start; total < size && sector < MAX_REGULAR_SECTOR; sector = fat[sector] ?? NO_STREAM) {
    const content = sectorAt(sector);
    sectors.push(content);
    total += content.length;
    if (content.length < sectorBytes) break;
  }
  const bytes = new Uint8Array(Math.min(total, size));
  let at = 0;
  for (const sector of sectors) {
    const part = sector.subarray(0, bytes.length - at);
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Reads little-endian words. */
function words(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length >> 2 }, (_, i) => view.getUint32(4 * i, true));
}

function powerOfTwo(exponent: number, min: number, max: number): number {
  if (exponent < min || exponent > max) {
    throw new RangeError(`a sector size must be 2^${min} to 2^${max} bytes, got 2^${exponent}`);
  }
  return 2 ** exponent;
}

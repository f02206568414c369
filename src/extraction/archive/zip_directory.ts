import { damaged } from "../errors.ts";
import { decodeNames } from "./member_names.ts";

/** A file or folder of a ZIP archive, as its central directory describes it (APPNOTE.TXT §4.3.12). */
export interface ZipMember {
  readonly path: string;
  /** Whether it is a file: not a folder, a symbolic link or a device. */
  readonly isFile: boolean;
  readonly isEncrypted: boolean;
  /** Compression method: 0 stored, 8 deflated. */
  readonly method: number;
  readonly crc32: number;
  readonly compressedBytes: number;
  /** Declared size in bytes. */
  readonly sizeBytes: number;
  /** Offset of its local header. */
  readonly headerAt: number;
}

const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_END_RECORD = 0x06064b50;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
/** Extra fields: sizes of more than 32 bits, and the name in UTF-8 (Info-ZIP). */
const ZIP64_EXTRA = 0x0001;
const UNICODE_PATH_EXTRA = 0x7075;
/** General purpose flags (APPNOTE.TXT §4.4.4). */
const FLAG_ENCRYPTED = 1;
const FLAG_UTF8 = 0x800;

/**
 * Reads the central directory of a ZIP archive, which may follow other data such as a program that unpacks it.
 *
 * @param options.maxMembers Members after these are ignored.
 * @throws {ExtractionError} `damaged` without a valid directory.
 */
export function readZipDirectory(
  bytes: Uint8Array<ArrayBuffer>,
  { name, maxMembers }: { name: string; maxMembers: number },
): ZipMember[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const { count, at, offset } = findDirectory(view);
    const entries: RawEntry[] = [];
    for (let next = at; entries.length < Math.min(count, maxMembers);) {
      const entry = readEntry(bytes, view, next, offset);
      entries.push(entry);
      next = entry.end;
    }
    const guessed = decodeNames(
      entries.filter(({ utf8 }) => utf8 === undefined).map(({ rawPath }) => rawPath),
    );
    return entries.map(({ utf8, rawPath: _, end: __, ...member }) => {
      const path = utf8 ?? guessed.shift()!;
      return { ...member, path, isFile: member.isFile && !/[/\\]$/.test(path) };
    });
  } catch (error) {
    throw damaged(name, "its archive is truncated or damaged", error);
  }
}

/** Returns the offset of the compressed data of a member. */
export function zipDataStart(bytes: Uint8Array<ArrayBuffer>, { headerAt }: ZipMember): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Name and extra field may differ from those in the directory.
  return headerAt + 30 + view.getUint16(headerAt + 26, true) + view.getUint16(headerAt + 28, true);
}

interface RawEntry extends Omit<ZipMember, "path"> {
  readonly rawPath: Uint8Array;
  /** The path if its encoding is declared. */
  readonly utf8: string | undefined;
  /** Offset of the next entry. */
  readonly end: number;
}

/** Returns the number of entries, the position of the first one, and the number of bytes before the archive. */
function findDirectory(view: DataView): { count: number; at: number; offset: number } {
  const lastAt = view.byteLength - END_RECORD_BYTES;
  // A comment of up to 65,535 bytes follows the record.
  for (let at = lastAt; at >= Math.max(0, lastAt - 0xffff); at--) {
    if (view.getUint32(at, true) !== END_RECORD) continue;
    let end = at;
    let count = view.getUint16(at + 10, true);
    let size = view.getUint32(at + 12, true);
    let start = view.getUint32(at + 16, true);
    if (at >= 20 && view.getUint32(at - 20, true) === ZIP64_LOCATOR) {
      end = Number(view.getBigUint64(at - 12, true));
      if (view.getUint32(end, true) !== ZIP64_END_RECORD) throw new RangeError("No ZIP64 end record");
      count = Number(view.getBigUint64(end + 32, true));
      size = Number(view.getBigUint64(end + 40, true));
      start = Number(view.getBigUint64(end + 48, true));
    }
    const directoryAt = end - size;
    return { count, at: directoryAt, offset: directoryAt - start };
  }
  throw new RangeError("No end record");
}

function readEntry(bytes: Uint8Array, view: DataView, at: number, offset: number): RawEntry {
  if (view.getUint32(at, true) !== ENTRY) throw new RangeError("No directory entry");
  const madeBy = view.getUint8(at + 5);
  const flags = view.getUint16(at + 8, true);
  const nameBytes = view.getUint16(at + 28, true);
  const extraBytes = view.getUint16(at + 30, true);
  const extraAt = at + ENTRY_BYTES + nameBytes;
  const rawPath = bytes.subarray(at + ENTRY_BYTES, extraAt);
  const extra = readExtra(bytes, view, extraAt, extraAt + extraBytes);
  const wide = extra.get(ZIP64_EXTRA)?.values();
  const number = (position: number) => {
    const value = view.getUint32(position, true);
    return value === 0xffffffff && wide ? readUint64(wide) : value;
  };
  const [sizeBytes, compressedBytes, headerAt] = [number(at + 24), number(at + 20), number(at + 42)];
  // The upper half of the external attributes of Unix: 0o100000 is a file, 0 unknown.
  const fileType = madeBy === 3 ? (view.getUint16(at + 40, true) & 0o170000) : 0;
  const unicodePath = extra.get(UNICODE_PATH_EXTRA)?.subarray(5);
  return {
    rawPath,
    utf8: unicodePath || (flags & FLAG_UTF8) ? new TextDecoder().decode(unicodePath ?? rawPath) : undefined,
    isFile: fileType === 0 || fileType === 0o100000,
    isEncrypted: (flags & FLAG_ENCRYPTED) !== 0,
    method: view.getUint16(at + 10, true),
    crc32: view.getUint32(at + 16, true),
    sizeBytes,
    compressedBytes,
    headerAt: headerAt + offset,
    end: extraAt + extraBytes + view.getUint16(at + 32, true),
  };
}

function readExtra(bytes: Uint8Array, view: DataView, start: number, end: number): Map<number, Uint8Array> {
  const fields = new Map<number, Uint8Array>();
  for (let at = start; at + 4 <= end;) {
    const fieldEnd = at + 4 + view.getUint16(at + 2, true);
    if (fieldEnd > end) break;
    fields.set(view.getUint16(at, true), bytes.subarray(at + 4, fieldEnd));
    at = fieldEnd;
  }
  return fields;
}

function readUint64(bytes: Iterator<number>): number {
  let value = 0;
  for (let i = 0; i < 8; i++) value += (bytes.next().value ?? 0) * 256 ** i;
  return value;
}

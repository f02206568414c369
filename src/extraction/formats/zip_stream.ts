import { Inflate } from "fflate";
import type { SourceFile } from "../types.ts";
import { damaged } from "../errors.ts";
import { checkUnpackedSize, listZip, unpack, type ZipEntry } from "./zip.ts";

/** Number of compressed bytes that are unpacked at a time. */
const SLICE_BYTES = 65_536;

/** Parts of a package that are unpacked slice by slice while they are read. */
export interface StreamedParts {
  has(path: string): boolean;
  /** Yields the bytes of a part. @throws {ExtractionError} `damaged` */
  read(path: string): Promise<Iterable<Uint8Array>>;
}

/**
 * Lists the parts of a package that are too large to be unpacked as a whole.
 *
 * @throws {ExtractionError} `too_large` if they declare more than `MAX_UNPACKED_BYTES` in total, `damaged`.
 */
export async function streamedParts(
  file: SourceFile,
  name: string,
  isStreamed: (path: string) => boolean,
): Promise<StreamedParts> {
  const paths = new Map<string, ZipEntry>();
  for (const entry of await listZip(file.bytes, name)) {
    const path = entry.name.replaceAll("\\", "/").replace(/^\//, "");
    if (isStreamed(path)) paths.set(path, entry);
  }
  checkUnpackedSize([...paths.values()], name);
  return {
    has: (path) => paths.has(path),
    async read(path) {
      const entry = paths.get(path)!;
      const compressed = findDeflated(file.bytes, entry.name);
      if (compressed) return inflate(compressed, { size: entry.size, name });
      const parts = await unpack(file.bytes, (each) => each.name === entry.name, name);
      return [parts[entry.name]!];
    },
  };
}

/** Yields the unpacked bytes, at most `size`: an entry may unpack to more than it declares. */
function* inflate(
  compressed: Uint8Array,
  { size, name }: { size: number; name: string },
): Generator<Uint8Array> {
  const unpacked: Uint8Array[] = [];
  const stream = new Inflate((chunk) => unpacked.push(chunk));
  let total = 0;
  for (let at = 0; at < compressed.length; at += SLICE_BYTES) {
    try {
      stream.push(compressed.subarray(at, at + SLICE_BYTES), at + SLICE_BYTES >= compressed.length);
    } catch (error) {
      throw damaged(name, "its archive is truncated or damaged", error);
    }
    for (const chunk of unpacked.splice(0)) {
      total += chunk.length;
      yield total > size ? chunk.subarray(0, Math.max(0, chunk.length - (total - size))) : chunk;
      if (total >= size) return;
    }
  }
}

/**
 * Finds the compressed bytes of an entry by the central directory (APPNOTE 6.3.10 §4.3.12, §4.3.16).
 *
 * @returns `undefined` for entries that are stored, and for archives with a directory in ZIP64 or no valid one.
 */
function findDeflated(bytes: Uint8Array, name: string): Uint8Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoder = new TextDecoder();
  try {
    let end = bytes.length - 22;
    const earliest = Math.max(0, end - 65_535);
    while (end >= earliest && view.getUint32(end, true) !== 0x06054b50) end--;
    let at = view.getUint32(end + 16, true);
    while (view.getUint32(at, true) === 0x02014b50) {
      const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) =>
        view.getUint16(at + field, true)
      );
      const entryName = decoder.decode(bytes.subarray(at + 46, at + 46 + nameLength!));
      if (entryName === name) {
        const header = view.getUint32(at + 42, true);
        const size = view.getUint32(at + 20, true);
        if (view.getUint16(at + 10, true) !== 8 || view.getUint32(header, true) !== 0x04034b50) {
          return undefined;
        }
        const start = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
        return start + size <= bytes.length ? bytes.subarray(start, start + size) : undefined;
      }
      at += 46 + nameLength! + extraLength! + commentLength!;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // an offset outside of the file
  }
  return undefined;
}

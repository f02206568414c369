import { Inflate } from "fflate";
import { damaged, tooLarge } from "../errors.ts";
import { MAX_UNPACKED_BYTES, MAX_ZIP_ENTRIES } from "../limits.ts";
import type { SourceFile } from "../types.ts";
import { readZipDirectory, zipDataStart, type ZipMember } from "./zip_directory.ts";

/** Number of compressed bytes that are unpacked at a time. */
const SLICE_BYTES = 65_536;

/** Parts of a package that are unpacked slice by slice while they are read. */
export interface StreamedParts {
  has(path: string): boolean;
  /** Yields the bytes of a part. @throws {ExtractionError} `damaged` */
  read(path: string): Iterable<Uint8Array>;
}

/**
 * Lists the parts of a package that are too large to be unpacked as a whole.
 *
 * @throws {ExtractionError} `too_large` if they declare more than `MAX_UNPACKED_BYTES` in total, `damaged`.
 */
export function streamedParts(
  { bytes }: SourceFile,
  name: string,
  isStreamed: (path: string) => boolean,
): StreamedParts {
  const members = new Map<string, ZipMember>();
  let total = 0;
  for (const member of readZipDirectory(bytes, { name, maxMembers: MAX_ZIP_ENTRIES })) {
    const path = member.path.replaceAll("\\", "/").replace(/^\//, "");
    if (!isStreamed(path)) continue;
    members.set(path, member);
    total += member.sizeBytes;
  }
  if (!(total <= MAX_UNPACKED_BYTES)) {
    throw tooLarge(name, `it unpacks to more than ${MAX_UNPACKED_BYTES / 2 ** 20} MiB`);
  }
  return {
    has: (path) => members.has(path),
    read: (path) => readMember(bytes, members.get(path)!, name),
  };
}

/** Compression methods of packages (APPNOTE 6.3.10 §4.4.5). */
const STORED = 0;
const DEFLATED = 8;

/** Yields the unpacked bytes of a part, at most as many as it declares. */
function* readMember(
  archive: Uint8Array<ArrayBuffer>,
  member: ZipMember,
  name: string,
): Generator<Uint8Array> {
  let left = member.sizeBytes;
  try {
    const start = zipDataStart(archive, member);
    const compressed = archive.subarray(start, start + member.compressedBytes);
    for (const chunk of inflate(compressed, member.method)) {
      yield chunk.length > left ? chunk.subarray(0, left) : chunk;
      left -= chunk.length;
      if (left <= 0) return;
    }
  } catch (error) {
    throw damaged(name, "its archive is truncated or damaged", error);
  }
}

function* inflate(compressed: Uint8Array, method: number): Generator<Uint8Array> {
  if (method === STORED) return yield compressed;
  if (method !== DEFLATED) throw new TypeError(`The compression method must be 0 or 8, got ${method}`);
  const unpacked: Uint8Array[] = [];
  const stream = new Inflate((chunk) => unpacked.push(chunk));
  for (let at = 0; at < compressed.length; at += SLICE_BYTES) {
    stream.push(compressed.subarray(at, at + SLICE_BYTES), at + SLICE_BYTES >= compressed.length);
    yield* unpacked.splice(0);
  }
}

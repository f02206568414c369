import { Buffer } from "node:buffer";
import { crc32, inflateRawSync } from "node:zlib";
import { displayPath, fileTooLarge, tooManyFiles, withoutBytes } from "../contained_files.ts";
import { damaged, encrypted, ExtractionError, tooLarge } from "../errors.ts";
import { MAX_ZIP_ENTRIES } from "../limits.ts";
import type { ContainedFile, ContainedFileLimits, SourceFile } from "../types.ts";
import { isSkipped } from "./skipped_members.ts";
import { readZipDirectory, zipDataStart, type ZipMember } from "./zip_directory.ts";

/**
 * Yields the files of a ZIP archive, one at a time. A file that cannot be unpacked has an error. An archive with too many
 * files is refused before the first one.
 *
 * @throws {ExtractionError} `damaged`, `encrypted` if all files are, or `too_large`.
 */
export function* unpackZip(
  { bytes }: SourceFile,
  { name, limits }: { name: string; limits: ContainedFileLimits },
): Generator<ContainedFile> {
  const members = readZipDirectory(bytes, { name, maxMembers: MAX_ZIP_ENTRIES + 1 });
  const files = members.filter(({ path, isFile }) => isFile && !isSkipped(path));
  if (files.length > limits.maxFiles) throw tooManyFiles(name, limits.maxFiles);
  if (members.length > MAX_ZIP_ENTRIES) {
    throw tooLarge(name, `it holds more than ${MAX_ZIP_ENTRIES.toLocaleString("en")} files and folders`);
  }
  if (files.length > 0 && files.every(({ isEncrypted }) => isEncrypted)) throw encrypted(name);
  for (const member of files) {
    const { path } = member;
    try {
      yield { path, bytes: unpackMember(bytes, member, limits) };
    } catch (error) {
      if (!(error instanceof ExtractionError)) throw error;
      yield withoutBytes(member, error);
    }
  }
}

function unpackMember(
  archive: Uint8Array<ArrayBuffer>,
  member: ZipMember,
  { maxFileBytes }: ContainedFileLimits,
): Uint8Array<ArrayBuffer> {
  const { path, sizeBytes, compressedBytes, method } = member;
  const name = displayPath(path);
  if (member.isEncrypted) throw encrypted(name);
  if (sizeBytes > maxFileBytes) throw fileTooLarge(path, maxFileBytes);
  if (method !== STORED && method !== DEFLATED) {
    throw new ExtractionError(
      "unsupported_type",
      `Cannot read ${name}: it is compressed in a way that is not supported (${
        METHODS[method] ?? method
      }). Make the ` +
        "archive with deflate compression, or upload the file by itself",
    );
  }
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    const start = zipDataStart(archive, member);
    const data = archive.subarray(start, start + compressedBytes);
    // Stops at the declared size: a bomb that declares a small one costs nothing.
    bytes = method === STORED ? data : inflate(data, sizeBytes);
  } catch (error) {
    throw damaged(name, "it is damaged in the archive, or larger than the archive says", error);
  }
  if (bytes.byteLength !== sizeBytes || crc32(bytes) !== member.crc32) {
    throw damaged(name, "it is damaged in the archive");
  }
  return bytes;
}

const STORED = 0;
const DEFLATED = 8;
/** Names of other compression methods (APPNOTE.TXT §4.4.5). */
const METHODS: Readonly<Record<number, string>> = {
  6: "implode",
  9: "deflate64",
  12: "bzip2",
  14: "LZMA",
  93: "Zstandard",
  95: "XZ",
  98: "PPMd",
};

function inflate(data: Uint8Array, sizeBytes: number): Uint8Array<ArrayBuffer> {
  const output = inflateRawSync(data, { maxOutputLength: Math.max(1, sizeBytes) });
  return Buffer.isBuffer(output)
    ? new Uint8Array(output.buffer as ArrayBuffer, output.byteOffset, output.length)
    : output;
}

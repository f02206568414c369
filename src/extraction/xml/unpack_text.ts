import { tooLarge } from "../errors.ts";
import { unpack, type ZipEntry } from "../archive/zip_entries.ts";
import { MAX_XML_BYTES } from "../limits.ts";
import type { SourceFile } from "../types.ts";

/**
 * Unpacks the entries of a package that have text. Pictures and embedded files do not count against the limit.
 *
 * @throws {ExtractionError} `too_large` if they declare more than `MAX_XML_BYTES` in total, `damaged`.
 */
export async function unpackText(
  file: SourceFile,
  entries: readonly ZipEntry[],
  { name, isSelected }: { name: string; isSelected: (entry: ZipEntry) => boolean },
): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const total = entries.filter(isSelected).reduce((sum, entry) => sum + entry.size, 0);
  if (!(total <= MAX_XML_BYTES)) {
    throw tooLarge(name, `it holds more than ${MAX_XML_BYTES / 2 ** 20} MiB of text and markup`);
  }
  return await unpack(file.bytes, isSelected, name);
}

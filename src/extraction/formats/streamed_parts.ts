import type { SourceFile } from "../types.ts";
import { checkUnpackedSize, listZip, unpack, type ZipEntry } from "./zip.ts";

/** Parts of a package that are unpacked one at a time, when they are read. */
export interface StreamedParts {
  has(path: string): boolean;
  /** @throws {ExtractionError} `damaged` */
  read(path: string): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Lists the parts of a package that are too large to be in memory together.
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
      const entryName = paths.get(path)!.name;
      const parts = await unpack(file.bytes, (entry) => entry.name === entryName, name);
      return parts[entryName]!;
    },
  };
}

import { damaged, tooLarge } from "../errors.ts";
import { MAX_ZIP_ENTRIES } from "../limits.ts";

/** An entry of the central directory of a ZIP archive. */
export interface ZipEntry {
  readonly name: string;
  /** Declared unpacked size in bytes. */
  readonly size: number;
}

/**
 * Reads the central directory of a ZIP archive without unpacking anything.
 *
 * @throws {ExtractionError} `damaged` without a valid directory, `too_large` with more than 20,000 entries.
 */
export async function listZip(bytes: Uint8Array, name: string): Promise<ZipEntry[]> {
  const { unzipSync } = await import("fflate");
  const entries: ZipEntry[] = [];
  try {
    unzipSync(bytes, {
      filter: (entry) => {
        entries.push({ name: entry.name, size: entry.originalSize });
        // The directory may declare up to 4 billion entries.
        if (entries.length > MAX_ZIP_ENTRIES) throw new TooManyEntries();
        return false;
      },
    });
  } catch (error) {
    if (error instanceof TooManyEntries) throw tooLarge(name, `it holds more than ${MAX_ZIP_ENTRIES} files`);
    throw damaged(name, "its archive is truncated or damaged", error);
  }
  return entries;
}

class TooManyEntries extends Error {}

/**
 * Unpacks the selected entries. Each gets a buffer of its declared size, so an archive that declares a wrong
 * size yields a truncated entry instead of using more memory.
 *
 * @throws {ExtractionError} `damaged` if an entry cannot be unpacked.
 */
export async function unpack(
  bytes: Uint8Array,
  isSelected: (entry: ZipEntry) => boolean,
  name: string,
): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const { unzipSync } = await import("fflate");
  try {
    return unzipSync(bytes, {
      filter: (entry) => isSelected({ name: entry.name, size: entry.originalSize }),
    });
  } catch (error) {
    throw damaged(name, "its archive is truncated or damaged", error);
  }
}

import { damaged, tooLarge } from "./failures.ts";
import { MAX_UNPACKED_BYTES, MAX_ZIP_ENTRIES } from "./limits.ts";

/** An entry of a ZIP archive, as the archive's directory has it. */
export interface ZipEntry {
  readonly name: string;
  /** Bytes unpacked, as the directory says. */
  readonly size: number;
}

/**
 * The directory of a ZIP archive; nothing is unpacked.
 *
 * @throws {ExtractionError} `damaged` if there is none, `too_large` if it has more than 20,000 entries.
 */
export async function listZip(bytes: Uint8Array, name: string): Promise<ZipEntry[]> {
  const { unzipSync } = await import("fflate");
  const entries: ZipEntry[] = [];
  try {
    unzipSync(bytes, {
      filter: (entry) => {
        entries.push({ name: entry.name, size: entry.originalSize });
        // The count in the directory can be a lie of four thousand million.
        if (entries.length > MAX_ZIP_ENTRIES) throw new TooManyEntries();
        return false;
      },
    });
  } catch (error) {
    if (error instanceof TooManyEntries) throw tooLarge(name, `it holds more than ${MAX_ZIP_ENTRIES} files`);
    throw damaged(name, "its archive is cut off or damaged", error);
  }
  return entries;
}

class TooManyEntries extends Error {}

/** @throws {ExtractionError} `too_large` if the directory says that the entries unpack to more than 200 MiB. */
export function checkUnpackedSize(entries: readonly ZipEntry[], name: string): void {
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (!(total <= MAX_UNPACKED_BYTES)) {
    throw tooLarge(name, `it unpacks to more than ${MAX_UNPACKED_BYTES / 2 ** 20} MiB`);
  }
}

/**
 * Unpacks the entries that are wanted. Each gets exactly the memory that the directory promised, so an archive
 * that lies about its sizes gets no more; its entry comes out cut.
 *
 * @throws {ExtractionError} `damaged` if an entry cannot be unpacked.
 */
export async function unpack(
  bytes: Uint8Array,
  wanted: (entry: ZipEntry) => boolean,
  name: string,
): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const { unzipSync } = await import("fflate");
  try {
    return unzipSync(bytes, { filter: (entry) => wanted({ name: entry.name, size: entry.originalSize }) });
  } catch (error) {
    throw damaged(name, "its archive is cut off or damaged", error);
  }
}

import { UploadError } from "./errors.ts";

/** Error codes of a full disk and of an exhausted disk quota. */
const DISK_FULL_CODES = new Set(["ENOSPC", "EDQUOT"]);

/** Runs a disk operation and turns the error of a full disk into a `storage_full` one. */
export async function onDisk<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && DISK_FULL_CODES.has(String(cause.code))) {
      throw new UploadError(
        "storage_full",
        "The disk on which uploads are staged is full. The bytes received before are kept: try again later, and tell " +
          "the user that the server's operator has to free disk space.",
        { cause },
      );
    }
    throw cause;
  }
}

/** Writes a file atomically: its name always refers to the old content or the new one. */
export async function writeAtomically(directory: string, name: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${directory}/incoming`;
  try {
    await onDisk(async () => {
      await Deno.writeFile(temporary, bytes, { mode: 0o600 });
      await Deno.rename(temporary, `${directory}/${name}`);
    });
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
}

/** Writes all of `bytes` at the file's current position. */
export async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await onDisk(() => file.write(bytes.subarray(written)));
  }
}

const READ_BYTES = 128 * 1024;

/**
 * Streams files one after the other. A file is only open while it is being read.
 *
 * @param onProgress Called with the number of bytes consumed, whenever the consumer asks for more.
 */
export function readFiles(
  paths: readonly string[],
  onProgress?: (bytes: number) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from((async function* () {
    let consumed = 0;
    for (const path of paths) {
      using file = await Deno.open(path);
      while (true) {
        const buffer = new Uint8Array(READ_BYTES);
        const size = await file.read(buffer);
        if (size === null) break;
        yield buffer.subarray(0, size);
        onProgress?.(consumed += size);
      }
    }
  })());
}

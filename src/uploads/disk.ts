import { UploadError } from "./errors.ts";

/** Codes of a full disk and of an exhausted quota. */
const FULL = new Set(["ENOSPC", "EDQUOT"]);

/** Runs work on the disk; a full one becomes an error that says so. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && FULL.has(String(cause.code))) {
      throw new UploadError(
        "storage_full",
        "The disk on which uploads are staged is full. What was received before is kept: try again later, and tell " +
          "the user that the server's operator has to free space.",
        { cause },
      );
    }
    throw cause;
  }
}

/** Writes a file so that under its name there is the old content or the new, never a part. */
export async function writeWhole(directory: string, name: string, bytes: Uint8Array): Promise<void> {
  const incoming = `${directory}/incoming`;
  try {
    await onDisk(async () => {
      await Deno.writeFile(incoming, bytes, { mode: 0o600 });
      await Deno.rename(incoming, `${directory}/${name}`);
    });
  } catch (error) {
    await Deno.remove(incoming).catch(() => {});
    throw error;
  }
}

/** Writes all of `bytes` where `file` stands. */
export async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += await onDisk(() => file.write(bytes.subarray(done)));
  }
}

const PIECE = 128 * 1024;

/**
 * The bytes of files, one after the other; no file is open before it is read or after the reader has left.
 *
 * @param onTaken Told how many bytes the reader has taken, each time that it comes for more.
 */
export function readFiles(
  paths: readonly string[],
  onTaken?: (bytes: number) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from((async function* () {
    let taken = 0;
    for (const path of paths) {
      using file = await Deno.open(path);
      while (true) {
        const buffer = new Uint8Array(PIECE);
        const size = await file.read(buffer);
        if (size === null) break;
        yield buffer.subarray(0, size);
        onTaken?.(taken += size);
      }
    }
  })());
}

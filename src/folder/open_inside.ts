import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemReason } from "../text/mod.ts";
import { isInside } from "./is_inside.ts";
import { FolderError } from "./problem.ts";

/** A file of a folder that is open for reading. Dispose of it to close it. */
export interface OpenFile extends AsyncDisposable {
  /** Size in bytes when it was opened. */
  readonly size: number;
  /** Time of the last change of the content when it was opened, in milliseconds since 1970. */
  readonly mtime: number;
  /** Reads the file from its start in chunks of up to 64 KiB, each of which is valid until the next. */
  chunks(): AsyncGenerator<Uint8Array>;
}

/** Number of bytes per read. */
const CHUNK_BYTES = 65_536;

/**
 * Opens a file inside a folder for reading. Refuses a path whose links leave the folder, also if they are changed at
 * the same time, and anything but a regular file. Never waits for the writer of a named pipe.
 *
 * @param root Absolute path of the folder.
 * @param path Path relative to it.
 * @throws {FolderError} `outside_source`, `not_a_file`, `not_found` or `unreadable`.
 *
 * @example
 * ```ts
 * import { openInside } from "./mod.ts";
 * import { assertEquals, assertRejects } from "@std/assert";
 * const root = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${root}/a.md`, "# A");
 * {
 *   await using file = await openInside(root, "a.md");
 *   assertEquals(file.size, 3);
 * }
 * await assertRejects(() => openInside(root, "../etc/passwd"));
 * await Deno.remove(root, { recursive: true });
 * ```
 */
export async function openInside(root: string, path: string): Promise<OpenFile> {
  let handle: FileHandle | undefined;
  try {
    const realRoot = await Deno.realPath(root);
    const real = await Deno.realPath(join(realRoot, path));
    if (!isInside(realRoot, real)) throw outside();
    if (!(await stat(real)).isFile()) throw notAFile();
    // The type may have changed since: O_NONBLOCK keeps the open of a named pipe from waiting for its writer.
    handle = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const opened = await handle.stat();
    if (!opened.isFile()) throw notAFile();
    // A folder on the way may have become a link after its path was resolved. What was opened is inside only if
    // the path still resolves to itself, and to the same file.
    const now = await stat(real);
    if (await Deno.realPath(real) !== real || now.dev !== opened.dev || now.ino !== opened.ino) {
      throw outside();
    }
    return new HandleFile(handle, opened.size, opened.mtimeMs);
  } catch (error) {
    await handle?.close();
    throw toFolderError(error);
  }
}

class HandleFile implements OpenFile {
  readonly #handle: FileHandle;
  readonly size: number;
  readonly mtime: number;

  constructor(handle: FileHandle, size: number, mtime: number) {
    this.#handle = handle;
    this.size = size;
    this.mtime = mtime;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const buffer = new Uint8Array(CHUNK_BYTES);
    try {
      for (let at = 0;;) {
        const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } catch (error) {
      throw toFolderError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

function outside(): FolderError {
  return new FolderError("outside_source", "The path leads out of the folder");
}

function notAFile(): FolderError {
  return new FolderError("not_a_file", "A folder, named pipe, socket or device");
}

/** Converts an error of the file system. */
export function toFolderError(error: unknown): FolderError {
  if (error instanceof FolderError) return error;
  const { code } = error as { code?: string };
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new FolderError("not_found", "The file does not exist", { cause: error });
  }
  return new FolderError("unreadable", `Cannot read: ${systemReason(error)}`, {
    cause: error,
  });
}

import { basename, join } from "node:path";
import { openInside, walkFolder } from "../folder/mod.ts";
import { ImportError, type InputFile } from "./import_items.ts";
import { zipEntries } from "./zip.ts";

/** Size of a read in bytes. Deflate makes at most a thousand times as much of it. */
const CHUNK_BYTES = 16 * 1024;

/** A file, folder or zip archive to import. */
export class ImportInput {
  readonly path: string;
  readonly type: "file" | "folder" | "zip";

  private constructor(path: string, type: ImportInput["type"]) {
    this.path = path;
    this.type = type;
  }

  /**
   * Opens the file, folder or archive at a path.
   *
   * @throws {ImportError} If there is nothing, or something else than a file or folder.
   */
  static async open(path: string): Promise<ImportInput> {
    const info = await Deno.stat(path).catch((cause) => {
      const reason = cause instanceof Deno.errors.NotFound ? "it does not exist" : "it cannot be read";
      throw new ImportError(`Cannot import ${JSON.stringify(path)}: ${reason}`, { cause });
    });
    const real = await Deno.realPath(path);
    if (info.isDirectory) return new ImportInput(real, "folder");
    if (!info.isFile) {
      throw new ImportError(`Cannot import ${JSON.stringify(path)}: it must be a file or folder`);
    }
    const head = await readHead(real, 4);
    const isZip = head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5);
    return new ImportInput(real, isZip ? "zip" : "file");
  }

  /** Returns the first bytes of a single file. */
  head(length: number): Promise<Uint8Array> {
    return this.type === "folder" ? Promise.resolve(new Uint8Array()) : readHead(this.path, length);
  }

  /** Whether a folder has an entry of this name, including hidden ones. */
  async has(name: string): Promise<boolean> {
    if (this.type !== "folder") return false;
    return await Deno.lstat(join(this.path, name)).then(() => true, () => false);
  }

  /**
   * Yields the files that are wanted by their names. Of a single file, the name is its own.
   *
   * @throws {ImportError} For a zip archive with names that leave it, or that expands to too much.
   */
  async *files(isWanted: (name: string) => boolean): AsyncGenerator<InputFile> {
    if (this.type === "file") {
      const name = basename(this.path);
      if (isWanted(name)) yield { name, chunks: fileChunks(this.path) };
    } else if (this.type === "zip") {
      yield* zipEntries(fileChunks(this.path), isWanted);
    } else {
      for await (const { path: name } of walkFolder(this.path, { ignoreFiles: false })) {
        if (isWanted(name)) yield { name, chunks: insideChunks(this.path, name) };
      }
    }
  }
}

/** Reads a file as UTF-8. @throws {TypeError} If it is not UTF-8. */
export async function readUtf8(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const parts: string[] = [];
  for await (const chunk of chunks) parts.push(decoder.decode(chunk, { stream: true }));
  parts.push(decoder.decode());
  return parts.join("");
}

async function* insideChunks(root: string, name: string): AsyncGenerator<Uint8Array> {
  await using file = await openInside(root, name);
  yield* file.chunks();
}

async function* fileChunks(path: string): AsyncGenerator<Uint8Array> {
  using file = await Deno.open(path);
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
    yield buffer.subarray(0, count);
  }
}

async function readHead(path: string, length: number): Promise<Uint8Array> {
  using file = await Deno.open(path);
  const head = new Uint8Array(length);
  const count = await file.read(head);
  return head.subarray(0, count ?? 0);
}

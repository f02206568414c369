import { dirname, join } from "node:path";
import { FolderError, hashFile, isInside } from "../../folder/mod.ts";
import { sha256Of } from "../sha256.ts";
import {
  isEntry,
  JOURNAL,
  JournalEntry,
  MANIFEST,
  ManifestError,
  readLines,
  readManifest,
} from "./manifest.ts";

/** A directory that an export must not write to. The message says why. */
export class ExportError extends Error {
  override name = "ExportError";
}

/** Change that an export made to a file, or the reason why it left it unchanged. */
export type FileChange = "written" | "unchanged" | "removed" | { readonly problem: string };

/**
 * The directory of an export. Knows the files of earlier exports by their hashes, also of one that was interrupted, and
 * changes no other file.
 */
export class ExportDirectory implements Disposable {
  readonly #path: string;
  readonly #overwrite: boolean;
  /** Hashes of the content that exports have written, by file. */
  readonly #known: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #journal: Deno.FsFile;
  readonly #kept = new Set<string>();

  private constructor(
    path: string,
    { known, overwrite, journal }: {
      known: ReadonlyMap<string, ReadonlySet<string>>;
      overwrite: boolean;
      journal: Deno.FsFile;
    },
  ) {
    this.#path = path;
    this.#known = known;
    this.#overwrite = overwrite;
    this.#journal = journal;
  }

  /**
   * Opens a directory, which is created if missing.
   *
   * @param filters Filters of the export.
   * @throws {ExportError} If it has files of others, or an export with other filters.
   */
  static async open(
    path: string,
    { filters, overwrite = false }: { readonly filters: object; readonly overwrite?: boolean },
  ): Promise<ExportDirectory> {
    await Deno.mkdir(path, { recursive: true });
    const names = await Array.fromAsync(Deno.readDir(path), ({ name }) => name);
    const known = new Map<string, Set<string>>();
    const add = (file: string, hash: string) => known.set(file, (known.get(file) ?? new Set()).add(hash));
    if (names.includes(MANIFEST)) await readOwnFiles(join(path, MANIFEST), filters, add);
    if (names.includes(JOURNAL)) await readJournal(join(path, JOURNAL), add);
    if (names.length > 0 && !names.some((name) => name === MANIFEST || name === JOURNAL)) {
      throw new ExportError(
        `Cannot export into ${
          JSON.stringify(path)
        }: it has other files. Choose an empty directory, or one that an ` +
          "export was written to",
      );
    }
    const journal = await openJournal(path, names.includes(JOURNAL));
    return new ExportDirectory(path, { known, overwrite, journal });
  }

  /**
   * Replaces a file atomically, unless somebody else has changed it.
   *
   * @param isImported Whether the knowledge base has everything that a changed file says.
   */
  async write(
    file: string,
    bytes: Uint8Array<ArrayBuffer>,
    isImported: (content: string) => Promise<boolean>,
  ): Promise<FileChange> {
    this.#kept.add(file);
    const sha256 = sha256Of(bytes);
    const present = await this.#hash(file);
    if (present === sha256) return "unchanged";
    const isOwn = present === undefined || this.#known.get(file)?.has(present);
    const mayReplace = isOwn || this.#overwrite ||
      present !== "" && await isImported(await Deno.readTextFile(this.#resolve(file)));
    if (!mayReplace) {
      const problem = this.#known.has(file)
        ? "It was edited since the last export: import it first, or export with --overwrite"
        : "No export has written this file: move it away, or export with --overwrite";
      return { problem };
    }
    await this.#journal.write(new TextEncoder().encode(`${JSON.stringify({ file, sha256 })}\n`));
    await Deno.mkdir(dirname(this.#resolve(file)), { recursive: true });
    if (!await this.#isInside(file)) {
      return { problem: OUTSIDE };
    }
    await replaceFile(this.#resolve(file), bytes);
    return "written";
  }

  /** Returns the hash that an earlier export has written. */
  writtenHash(file: string): string | undefined {
    return this.#known.get(file)?.values().next().value;
  }

  /** Removes the files of earlier exports that this one has not written, with folders that become empty. */
  async *removeOthers(): AsyncGenerator<readonly [file: string, change: FileChange]> {
    for (const [file, hashes] of this.#known) {
      if (this.#kept.has(file)) continue;
      const present = await this.#hash(file);
      if (present === undefined) continue;
      if (!hashes.has(present) && !this.#overwrite) {
        yield [file, {
          problem: "Its document was deleted, and the file was edited since: it is left as it is",
        }];
        continue;
      }
      if (!await this.#isInside(file)) {
        yield [file, { problem: OUTSIDE }];
        continue;
      }
      await Deno.remove(this.#resolve(file));
      await this.#removeEmptyFolders(file);
      yield [file, "removed"];
    }
  }

  /** Makes a manifest valid, which completes the export. @param written Path of the manifest. */
  async complete(written: string): Promise<void> {
    await Deno.rename(written, join(this.#path, MANIFEST));
    await Deno.remove(join(this.#path, JOURNAL));
  }

  [Symbol.dispose](): void {
    this.#journal.close();
  }

  #resolve(file: string): string {
    return join(this.#path, ...file.split("/"));
  }

  /** Returns undefined if there is no such file, and an empty text for one that cannot be read. */
  async #hash(file: string): Promise<string | undefined> {
    try {
      return await hashFile(this.#path, file);
    } catch (error) {
      if (error instanceof FolderError) return error.code === "not_found" ? undefined : "";
      throw error;
    }
  }

  /** Whether the folder of a file is in this directory: it may be a link. */
  async #isInside(file: string): Promise<boolean> {
    return isInside(await Deno.realPath(this.#path), await Deno.realPath(dirname(this.#resolve(file))));
  }

  async #removeEmptyFolders(file: string): Promise<void> {
    const folders = file.split("/").slice(0, -1);
    for (; folders.length > 0; folders.pop()) {
      try {
        await Deno.remove(join(this.#path, ...folders));
      } catch {
        return;
      }
    }
  }
}

const OUTSIDE = "Its folder is a link that leads out of the directory";

/** Replaces a file by a complete one. */
async function replaceFile(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const temporary = `${path}.kb-new`;
  {
    using file = await createFile(temporary);
    await writeAll(file, bytes);
  }
  await Deno.rename(temporary, path);
}

/**
 * Creates a file in place of one that an interrupted export has left.
 *
 * Threat: the directory may come from somebody else, such as a shared repository. A link at the name would make this
 * program overwrite any file of its user.
 */
export async function createFile(path: string): Promise<Deno.FsFile> {
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  return await Deno.open(path, { write: true, createNew: true });
}

/** Writes bytes to a file: `write` may take a part of them. */
export async function writeAll(file: Deno.FsFile, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

async function openJournal(directory: string, exists: boolean): Promise<Deno.FsFile> {
  const path = join(directory, JOURNAL);
  if (!exists) return await Deno.open(path, { append: true, createNew: true });
  if ((await Deno.lstat(path)).isFile) return await Deno.open(path, { append: true });
  throw new ExportError(`${JOURNAL} must be a file, and is a link or a folder: remove it`);
}

async function readOwnFiles(
  path: string,
  filters: object,
  add: (file: string, hash: string) => void,
): Promise<void> {
  try {
    for await (const line of readManifest(path)) {
      if (isEntry(line)) add(line.file, line.sha256);
      else if (JSON.stringify(line.filters) !== JSON.stringify(filters)) {
        throw new ExportError(
          `The directory has an export with other filters (${
            JSON.stringify(line.filters)
          }): use the same filters, ` +
            "or another directory",
        );
      }
    }
  } catch (error) {
    if (error instanceof ManifestError) throw new ExportError(error.message, { cause: error });
    throw error;
  }
}

async function readJournal(path: string, add: (file: string, hash: string) => void): Promise<void> {
  for await (const line of readLines(path)) {
    try {
      const { data } = JournalEntry.safeParse(JSON.parse(line));
      if (data) add(data.file, data.sha256);
    } catch {
      // The last line, if the export was killed.
    }
  }
}

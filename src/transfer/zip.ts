/*
 * Threat: a zip archive from anyone. Its names could leave the folder that they are extracted to, and a few kilobytes
 * could expand to a disk full of zeros. Nothing is extracted to disk, and the size of an unpacked entry is limited.
 */
import { Unzip, UnzipInflate } from "fflate";
import { ImportError, type InputFile } from "./import_items.ts";

/** Maximum number of entries. */
const MAX_ENTRIES = 200_000;
/** Maximum size of all wanted entries in bytes. */
const MAX_UNPACKED_BYTES = 16 * 2 ** 30;
/** Maximum ratio of unpacked to packed bytes. JSON of conversations has 3 to 30. */
const MAX_RATIO = 250;
/** Size in bytes from which the ratio counts. */
const RATIO_FROM_BYTES = 16 * 2 ** 20;

/**
 * Unpacks the wanted entries of a zip archive while reading it. Memory is limited by the size of a chunk, times what
 * Deflate can make of it.
 *
 * @param chunks The archive, in chunks of at most a few kilobytes.
 * @throws {ImportError} For a name that leaves the archive, or an archive that expands to too much.
 */
export async function* zipEntries(
  chunks: AsyncIterable<Uint8Array>,
  isWanted: (name: string) => boolean,
): AsyncGenerator<InputFile> {
  const entries = new EntryQueue();
  const unzip = new Unzip();
  unzip.register(UnzipInflate);
  let count = 0;
  unzip.onfile = (file) => {
    if (++count > MAX_ENTRIES) throw new ImportError(`The archive must have at most ${MAX_ENTRIES} files`);
    assertInside(file.name);
    if (file.name.endsWith("/") || !isWanted(file.name)) return;
    const entry = entries.begin(file.name);
    file.ondata = (error, data, isLast) => {
      if (error) throw new ImportError(`The archive is damaged: ${error.message}`, { cause: error });
      entries.append(entry, data, isLast);
    };
    file.start();
  };
  const input = chunks[Symbol.asyncIterator]();
  const pump = async (): Promise<boolean> => {
    const { done, value } = await input.next();
    try {
      // A copy, since parts of it may be kept.
      if (!done) unzip.push(value.slice(), false);
      else unzip.push(new Uint8Array(), true);
    } catch (error) {
      if (error instanceof ImportError) throw error;
      throw new ImportError("The archive is damaged, or not a zip archive", { cause: error });
    }
    entries.read(value?.byteLength ?? 0);
    return !done;
  };
  try {
    for (let hasMore = true;;) {
      const entry = entries.next();
      if (entry) {
        yield { name: entry.name, chunks: entry.drain(pump) };
        for await (const _ of entry.drain(pump)) { /* drain the rest */ }
      } else if (hasMore) hasMore = await pump();
      else return;
    }
  } finally {
    await input.return?.();
  }
}

class Entry {
  readonly name: string;
  readonly #chunks: Uint8Array[] = [];
  #isComplete = false;

  constructor(name: string) {
    this.name = name;
  }

  append(data: Uint8Array, isLast: boolean): void {
    if (data.byteLength > 0) this.#chunks.push(data);
    this.#isComplete ||= isLast;
  }

  async *drain(pump: () => Promise<boolean>): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) yield chunk;
      else if (this.#isComplete) return;
      else if (!await pump() && !this.#isComplete) {
        throw new ImportError(`The archive ends inside ${this.name}`);
      }
    }
  }
}

/** The entries that have begun, and the sizes so far. */
class EntryQueue {
  readonly #entries: Entry[] = [];
  #packed = 0;
  #unpacked = 0;

  begin(name: string): Entry {
    const entry = new Entry(name);
    this.#entries.push(entry);
    return entry;
  }

  append(entry: Entry, data: Uint8Array, isLast: boolean): void {
    this.#unpacked += data.byteLength;
    const isBomb = this.#unpacked > RATIO_FROM_BYTES && this.#unpacked > MAX_RATIO * (this.#packed + 1);
    if (isBomb || this.#unpacked > MAX_UNPACKED_BYTES) {
      throw new ImportError("The archive expands to too much data: unpack it, and import the folder");
    }
    entry.append(data, isLast);
  }

  read(bytes: number): void {
    this.#packed += bytes;
  }

  next(): Entry | undefined {
    return this.#entries.shift();
  }
}

function assertInside(name: string): void {
  const isOutside = name.startsWith("/") || name.includes("\\") || /^[a-z]:/i.test(name) ||
    name.split("/").includes("..") || name.includes("\0");
  if (isOutside) {
    throw new ImportError(
      `The archive has a file that would leave its folder (${JSON.stringify(name)}): it may be hostile`,
    );
  }
}

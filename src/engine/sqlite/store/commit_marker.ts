import type { DatabaseSync } from "node:sqlite";
import { count, first } from "./sql.ts";

/**
 * The file format: one line of fixed length, so that one write to one disk sector replaces it.
 * `kb-mcp commit NUMBER closed SIZE MTIME`, the numbers in decimal with leading zeros.
 */
const FORMAT = /^kb-mcp commit (\d{16}) closed (\d{16}) (\d{16})\n$/;

/** Size and modification time of a database at the end of a process that closed it. */
export interface ClosedFile {
  /** Size in bytes. */
  readonly size: number;
  /** Modification time, in milliseconds since 1970. */
  readonly mtime: number;
}

/** Content of a marker. */
export interface Marker {
  /** Number of the last acknowledged commit; 0 if unknown. */
  readonly commit: number;
  /** The database when it was closed; undefined while it is open, or after a crash. */
  readonly closed: ClosedFile | undefined;
}

/**
 * A file next to the database with the number of the last acknowledged commit. SQLite ignores the part of a
 * write-ahead log after a damaged frame, and all of a log that was removed; only a number outside of it shows
 * that acknowledged commits are missing.
 *
 * The number is written after the commit is on disk and is not synced, so after a power failure it may be too
 * small, but never too large. That the file exists shows that a database existed.
 */
export class CommitMarker implements Disposable {
  readonly #file: Deno.FsFile;

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Opens the file for writing. Creates it, durably, unless it exists. */
  static open(path: string): CommitMarker {
    try {
      return new CommitMarker(Deno.openSync(path, { write: true }));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    const marker = new CommitMarker(Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }));
    marker.write({ commit: 0, closed: undefined });
    marker.#file.syncSync();
    return marker;
  }

  /** Returns the content; undefined if the file does not exist. Unreadable content counts as unknown. */
  static read(path: string): Marker | undefined {
    let text: string;
    try {
      text = Deno.readTextFileSync(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
    const [, commit = 0, size = 0, mtime = 0] = FORMAT.exec(text) ?? [];
    return {
      commit: Number(commit),
      closed: Number(mtime) > 0 ? { size: Number(size), mtime: Number(mtime) } : undefined,
    };
  }

  write({ commit, closed }: Marker): void {
    const fields = [commit, closed?.size ?? 0, closed?.mtime ?? 0].map((n) => String(n).padStart(16, "0"));
    const line = new TextEncoder().encode(`kb-mcp commit ${fields[0]} closed ${fields[1]} ${fields[2]}\n`);
    this.#file.seekSync(0, Deno.SeekMode.Start);
    this.#file.writeSync(line);
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

/** Size and modification time of a file, to compare with {@linkcode Marker.closed}. */
export function closedFile(path: string): ClosedFile {
  const { size, mtime } = Deno.statSync(path);
  return { size, mtime: mtime?.getTime() ?? 0 };
}

/** Increases the number of the last commit, in the transaction of that commit. Returns it. */
export function countCommit(db: DatabaseSync): number {
  return first<{ n: number }>(db, "UPDATE last_commit SET number = number + 1 RETURNING number AS n")?.n ?? 0;
}

/** Returns the number of the last commit. */
export function lastCommit(db: DatabaseSync): number {
  return count(db, "SELECT number AS n FROM last_commit");
}

import { extname } from "node:path";

/** Maximum number of types that are told apart: any extension is possible. */
const MAX_TYPES = 100;

/** Counts the files of a folder that are left out because of their types, by extension (`.ext`). */
export class OtherTypes {
  readonly #files = new Map<string, number>();

  /** Counts a file by its name. */
  count(name: string): void {
    const type = extname(name).toLowerCase() || "no extension";
    const isKnown = this.#files.has(type) || this.#files.size < MAX_TYPES;
    const key = isKnown ? type : "other extensions";
    this.#files.set(key, (this.#files.get(key) ?? 0) + 1);
  }

  /** Returns the number of files by type, the most frequent one first. */
  byType(): Record<string, number> {
    return Object.fromEntries(
      [...this.#files].toSorted(([a, aFiles], [b, bFiles]) => bFiles - aFiles || (a < b ? -1 : 1)),
    );
  }
}

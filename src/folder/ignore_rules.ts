import ignore, { type Ignore } from "ignore";
import { join } from "node:path";
import { simplePattern } from "./simple_pattern.ts";

/** Names of the files with patterns; the later one takes precedence. */
const IGNORE_FILES = [".gitignore", ".kbignore"] as const;
/** Maximum size of a file with patterns, in bytes. Larger ones are not read. */
const MAX_IGNORE_FILE_BYTES = 262_144;

/** Git compares names as most file systems of the platform do. */
const options = { ignorecase: Deno.build.os !== "linux" };

/** Compiles patterns in the syntax of `.gitignore`, simplified by {@linkcode simplePattern}. */
export function compilePatterns(patterns: string | readonly string[]): Ignore {
  const lines = typeof patterns === "string" ? patterns.split(/\r?\n/) : patterns;
  return ignore(options).add(lines.map(simplePattern).filter((line) => line !== undefined));
}

/** The patterns of one folder. */
interface FolderRules {
  /** Path of the folder with a trailing slash; empty for the root. */
  readonly prefix: string;
  readonly git: Ignore | undefined;
  readonly kb: Ignore | undefined;
}

/** The patterns that apply in a folder: its own, and those of the folders above it. */
export class IgnoreRules {
  /** From the root downwards. */
  readonly #folders: readonly FolderRules[];

  private constructor(folders: readonly FolderRules[]) {
    this.#folders = folders;
  }

  /** No patterns. */
  static readonly none = new IgnoreRules([]);

  /**
   * Returns the rules inside a folder.
   *
   * @param folder Its path.
   * @param prefix Its path relative to the root, with a trailing slash; empty for the root.
   * @param names Names of its entries.
   * @throws {Error} Its patterns are too large, or cannot be read: the system's error.
   */
  async enter(folder: string, prefix: string, names: ReadonlySet<string>): Promise<IgnoreRules> {
    const [git, kb] = await Promise.all(IGNORE_FILES.map(async (name) => {
      const text = names.has(name) ? await readSmallFile(join(folder, name)) : undefined;
      return text === undefined ? undefined : compilePatterns(text);
    }));
    if (!git && !kb) return this;
    return new IgnoreRules([...this.#folders, { prefix, git, kb }]);
  }

  /**
   * Returns the rules inside a folder that a `.kbignore` includes in spite of a `.gitignore` above: those of
   * the latter no longer apply, since they would exclude every file of it.
   */
  withoutGit(): IgnoreRules {
    return new IgnoreRules(this.#folders.map((folder) => ({ ...folder, git: undefined })));
  }

  /**
   * Decides about a path relative to the root, with a trailing slash for a folder. The last matching pattern
   * of the deepest file decides; `.kbignore` before `.gitignore`.
   */
  test(path: string): { readonly ignored: boolean; readonly forced: boolean } {
    for (const name of ["kb", "git"] as const) {
      for (let at = this.#folders.length - 1; at >= 0; at--) {
        const { prefix, [name]: rules } = this.#folders[at]!;
        if (!rules) continue;
        const { ignored, unignored } = rules.test(path.slice(prefix.length));
        if (ignored || unignored) return { ignored, forced: unignored && name === "kb" };
      }
    }
    return { ignored: false, forced: false };
  }
}

/** Reads a file of patterns. A link or special file has none, nor has one that was removed since. */
async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    const { isFile, size } = await Deno.lstat(path);
    if (!isFile) return undefined;
    if (size > MAX_IGNORE_FILE_BYTES) throw new Error("it is larger than 256 KiB");
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

import { join } from "node:path";
import type { Ignore } from "ignore";
import { systemReason } from "../text/mod.ts";
import { compilePatterns, IgnoreRules } from "./ignore_rules.ts";
import { isHidden } from "./is_hidden.ts";
import { isInside } from "./is_inside.ts";
import type { FolderProblem, FolderProblemCode } from "./problem.ts";

/** Maximum length of a path inside a root, in UTF-16 code units. */
const MAX_RELATIVE_PATH_CHARS = 1_500;
/** Default of {@linkcode WalkOptions.maxEntries}. */
const DEFAULT_MAX_ENTRIES = 1_000_000;
/** Default of {@linkcode WalkOptions.maxDepth}. */
const DEFAULT_MAX_DEPTH = 64;
/** Number of entries of a folder that are inspected at the same time. */
const CONCURRENCY = 32;

/** Patterns of `include` that name all files. */
const ALL_FILES: readonly string[] = ["*", "**", "**/*"];

/** Options of {@linkcode walkFolder}. */
export interface WalkOptions {
  /**
   * Only these files, as patterns in the syntax of `.gitignore`. A pattern that names an extension (`*.log`)
   * also accepts files that {@linkcode WalkOptions.accepts} does not, and `*`, `**` or `**\/*` accept every file.
   */
  readonly include?: readonly string[];
  /** Not these files and folders, in the same syntax. */
  readonly exclude?: readonly string[];
  /** Whether a file has a supported type, by its name. @default {() => true} */
  readonly accepts?: (name: string) => boolean;
  /** Whether to include names that start with a dot, and Word's, Excel's and PowerPoint's `~$` files. @default {false} */
  readonly hidden?: boolean;
  /** Whether to honour `.gitignore` and `.kbignore`. @default {true} */
  readonly ignoreFiles?: boolean;
  /** Only these files, and the files below these folders. @default everything */
  readonly only?: readonly string[];
  /** Maximum number of files and folders, including ignored ones. @default {1000000} */
  readonly maxEntries?: number;
  /** Maximum number of nested folders. @default {64} */
  readonly maxDepth?: number;
  /** Receives files and folders that are left out although no pattern ignores them. */
  readonly onProblem?: (problem: FolderProblem) => void;
  /** Ends the walk with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** A file in a folder. */
export interface FolderFile {
  /** Path relative to the root, with `/` between its segments. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  /** Time of the last change of the content, in milliseconds since 1970. */
  readonly mtime: number;
  /** Time of the last change of the inode, in milliseconds since 1970; 0 if the platform has none. */
  readonly ctime: number;
}

/** Ends a walk at its limit of entries. */
class TooManyEntriesError extends Error {}

/**
 * Lists the files of a folder and its subfolders, depth first, sorted by name. Hidden names and those that
 * `.gitignore` and `.kbignore` exclude are skipped. Links are followed unless they leave the root or lead back to a
 * folder that is being listed. Nothing is opened except the ignore files.
 *
 * @param root Absolute path of a folder.
 * @throws {Error} The system's error if the root itself cannot be listed. Problems below it go to `onProblem`.
 *
 * @example
 * ```ts
 * import { walkFolder } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const root = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${root}/.gitignore`, "*.log\n");
 * await Deno.writeTextFile(`${root}/a.md`, "# A");
 * await Deno.writeTextFile(`${root}/b.log`, "noise");
 * const files = await Array.fromAsync(walkFolder(root));
 * assertEquals(files.map(({ path, size }) => [path, size]), [["a.md", 3]]);
 * await Deno.remove(root, { recursive: true });
 * ```
 */
export async function* walkFolder(root: string, options: WalkOptions = {}): AsyncGenerator<FolderFile> {
  const realRoot = await Deno.realPath(root);
  const walk = new Walk(realRoot, options);
  try {
    yield* walk.list({ prefix: "", real: realRoot, rules: IgnoreRules.none, ancestors: new Set() });
  } catch (error) {
    if (!(error instanceof TooManyEntriesError)) throw error;
    const { maxEntries = DEFAULT_MAX_ENTRIES } = options;
    walk.report("", "too_many_files", `The folder has more than ${maxEntries} files and folders`, true);
  }
}

/** A folder to list. */
interface Folder {
  /** Path relative to the root with a trailing slash; empty for the root. */
  readonly prefix: string;
  /** Path without links. */
  readonly real: string;
  /** Ignore rules of the folders above. */
  readonly rules: IgnoreRules;
  /** Real paths of the folders above. */
  readonly ancestors: ReadonlySet<string>;
}

/** An entry to yield, to list or to report, with the links resolved. */
type Entry =
  | { readonly file: FolderFile }
  | { readonly folder: Folder; readonly isLink: boolean }
  | { readonly problem: FolderProblem };

/** One walk over a folder. */
class Walk {
  readonly #root: string;
  readonly #options: WalkOptions;
  readonly #include: Ignore | undefined;
  readonly #exclude: Ignore;
  /** Extensions that the patterns of `include` name. */
  readonly #namedExtensions: ReadonlySet<string>;
  /** Whether `include` names all files. */
  readonly #acceptsAll: boolean;
  /** Real paths of folders that were reached through a link. */
  readonly #linked = new Set<string>();
  #entries = 0;

  constructor(root: string, options: WalkOptions) {
    const { include = [], exclude = [] } = options;
    this.#root = root;
    this.#options = options;
    this.#include = include.length === 0 ? undefined : compilePatterns(include);
    this.#exclude = compilePatterns(exclude);
    this.#namedExtensions = new Set(include.map(extensionOf).filter((extension) => extension !== ""));
    this.#acceptsAll = include.some((pattern) => ALL_FILES.includes(pattern));
  }

  report(path: string, code: FolderProblemCode, error: string, isFolder = false): void {
    this.#options.onProblem?.({ path, code, error, isFolder });
  }

  async *list({ prefix, real, rules, ancestors }: Folder): AsyncGenerator<FolderFile> {
    const { signal, maxDepth = DEFAULT_MAX_DEPTH } = this.#options;
    if (ancestors.size > maxDepth) {
      return this.report(
        withoutSlash(prefix),
        "too_many_files",
        `More than ${maxDepth} nested folders`,
        true,
      );
    }
    const names = await this.#names(real, prefix);
    const inner = await this.#rulesInside(rules, real, prefix, names);
    if (!inner) return;
    const trail = new Set(ancestors).add(real);
    const wanted = this.#selected(prefix, names);
    for (let at = 0; at < wanted.length; at += CONCURRENCY) {
      signal?.throwIfAborted();
      const entries = await Promise.all(
        wanted.slice(at, at + CONCURRENCY).map((name) =>
          this.#resolve(name, { prefix, real, rules: inner, ancestors: trail })
        ),
      );
      for (const entry of entries) {
        if (!entry) continue;
        if ("file" in entry) yield entry.file;
        else if ("problem" in entry) this.#options.onProblem?.(entry.problem);
        else if (!entry.isLink || this.#isFirstLink(entry.folder.real)) yield* this.list(entry.folder);
      }
    }
  }

  /** Returns the names that lead to the selected files. */
  #selected(prefix: string, names: string[]): string[] {
    const { only } = this.#options;
    if (!only || only.some((path) => prefix.startsWith(`${path}/`))) return names;
    const below = only.filter((path) => path.startsWith(prefix))
      .map((path) => path.slice(prefix.length).split("/", 1)[0]);
    const selected = new Set(below);
    return names.filter((name) => selected.has(name));
  }

  /** Returns the names of a folder's entries, sorted. An unreadable root is the caller's error. */
  async #names(real: string, prefix: string): Promise<string[]> {
    const { maxEntries = DEFAULT_MAX_ENTRIES } = this.#options;
    const names: string[] = [];
    try {
      for await (const { name } of Deno.readDir(real)) {
        if (++this.#entries > maxEntries) throw new TooManyEntriesError();
        names.push(name);
      }
    } catch (error) {
      if (prefix === "" || error instanceof TooManyEntriesError) throw error;
      this.report(withoutSlash(prefix), "unreadable", `Cannot list the folder: ${systemReason(error)}`, true);
      // Not those before the error: the patterns that ignore some of them may come after it.
      return [];
    }
    return names.sort();
  }

  /** Returns the ignore rules inside a folder; undefined if unknown: what they exclude may be private. */
  async #rulesInside(
    rules: IgnoreRules,
    real: string,
    prefix: string,
    names: readonly string[],
  ): Promise<IgnoreRules | undefined> {
    if (this.#options.ignoreFiles === false) return rules;
    try {
      return await rules.enter(real, prefix, new Set(names));
    } catch (error) {
      const reason = `Cannot read its .gitignore or .kbignore: ${systemReason(error)}`;
      this.report(withoutSlash(prefix), "unreadable", reason, true);
      return undefined;
    }
  }

  /** Inspects an entry. Returns undefined for one that is ignored. */
  async #resolve(name: string, parent: Folder): Promise<Entry | undefined> {
    const { hidden = false } = this.#options;
    if (!hidden && isHidden(name)) return;
    const path = parent.prefix + name;
    const real = join(parent.real, name);
    let isLink = false;
    try {
      const info = await Deno.lstat(real);
      isLink = info.isSymlink;
      if (isLink) return await this.#follow(path, name, real, parent);
      if (info.isDirectory) return this.#enter(path, real, parent);
      return this.#file(path, name, parent.rules, info);
    } catch (error) {
      // Removed since the folder was listed: as if it had never been there.
      if (!isLink && error instanceof Deno.errors.NotFound && !name.includes("\uFFFD")) return;
      const isNothing = leadsNowhere(error);
      const mayBeFolder = !isNothing && !this.#isIgnored(`${path}/`, parent.rules).ignored;
      if (!mayBeFolder && !this.#isWanted(path, name, parent.rules)) return;
      if (name.includes("\uFFFD")) return problem(path, "invalid_name", "The name is not valid Unicode");
      if (isLink && isNothing) return problem(path, "broken_link", "Left out: the link has no target");
      const action = isLink ? "follow the link" : "inspect";
      return problem(path, "unreadable", `Cannot ${action}: ${systemReason(error)}`, mayBeFolder);
    }
  }

  /** Follows a link to a file or folder inside the root. */
  async #follow(path: string, name: string, link: string, parent: Folder): Promise<Entry | undefined> {
    const [info, real] = await Promise.all([Deno.stat(link), Deno.realPath(link)]);
    if (!isInside(this.#root, real)) {
      const isWanted = info.isDirectory
        ? !this.#isIgnored(`${path}/`, parent.rules).ignored
        : this.#isWanted(path, name, parent.rules);
      return isWanted ? problem(path, "outside_source", "The link leads out of the folder") : undefined;
    }
    if (!info.isDirectory) return this.#file(path, name, parent.rules, info);
    return parent.ancestors.has(real) ? undefined : this.#enter(path, real, parent, true);
  }

  /** A folder is followed once, since a chain of folders with two links each would repeat it without end. */
  #isFirstLink(real: string): boolean {
    const isFirst = !this.#linked.has(real);
    this.#linked.add(real);
    return isFirst;
  }

  #enter(path: string, real: string, { rules, ancestors }: Folder, isLink = false): Entry | undefined {
    const { ignored, forced } = this.#isIgnored(`${path}/`, rules);
    if (ignored) return;
    if (!isValidPath(path)) {
      return problem(path, "invalid_name", INVALID_PATH, true);
    }
    return {
      folder: { prefix: `${path}/`, real, rules: forced ? rules.withoutGit() : rules, ancestors },
      isLink,
    };
  }

  #file(path: string, name: string, rules: IgnoreRules, info: Deno.FileInfo): Entry | undefined {
    if (!this.#isWanted(path, name, rules)) return;
    if (!info.isFile) return problem(path, "not_a_file", "A named pipe, socket or device");
    if (!isValidPath(path)) return problem(path, "invalid_name", INVALID_PATH);
    const { size, mtime, ctime } = info;
    return { file: { path, size, mtime: mtime?.getTime() ?? 0, ctime: ctime?.getTime() ?? 0 } };
  }

  #isWanted(path: string, name: string, rules: IgnoreRules): boolean {
    const { accepts = () => true } = this.#options;
    if (this.#include && !this.#include.test(path).ignored) return false;
    const isNamed = this.#acceptsAll || this.#namedExtensions.has(extensionOf(name));
    // Callers report the files that `accepts` refuses, so it is not asked about others.
    return !this.#isIgnored(path, rules).ignored && (isNamed || accepts(name));
  }

  #isIgnored(path: string, rules: IgnoreRules): { readonly ignored: boolean; readonly forced: boolean } {
    return this.#exclude.test(path).ignored ? { ignored: true, forced: false } : rules.test(path);
  }
}

const INVALID_PATH =
  `The path must have at most ${MAX_RELATIVE_PATH_CHARS} characters, without control characters and backslashes`;

function problem(path: string, code: FolderProblemCode, error: string, isFolder = false): Entry {
  return { problem: { path, code, error, isFolder } };
}

/**
 * Whether the error of an entry means that it leads to no file and no folder. After any other one, such as that of a
 * network mount that has failed, it may be a folder, and the files below it are unknown, not gone.
 */
function leadsNowhere(error: unknown): boolean {
  const { NotFound, NotADirectory, FilesystemLoop } = Deno.errors;
  return [NotFound, NotADirectory, FilesystemLoop].some((type) => error instanceof type);
}

/** Whether a path can be the path of a document. */
function isValidPath(path: string): boolean {
  // deno-lint-ignore no-control-regex -- rejects control characters on purpose
  const isPrintable = !/[\u0000-\u001f\u007f-\u009f\\]/.test(path);
  return isPrintable && path.length <= MAX_RELATIVE_PATH_CHARS && path.isWellFormed();
}

function withoutSlash(prefix: string): string {
  return prefix.slice(0, -1);
}

function extensionOf(name: string): string {
  return /\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? "";
}

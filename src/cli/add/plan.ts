import { basename, dirname, join } from "node:path";
import { ConfigError } from "../../config/mod.ts";
import { isDocumentName } from "../../extraction/mod.ts";
import { type FolderProblem, OtherTypes, walkFolder } from "../../folder/mod.ts";
import { quoteText, systemReason } from "../../text/mod.ts";
import type { Warning } from "../client/failures.ts";

/** Options of {@linkcode planFiles}. */
export interface PlanOptions {
  /** Whether to include the folders in a folder. */
  readonly recursive: boolean;
  /** Name that replaces the name of a folder in paths, and precedes the name of a single file. Empty: none. */
  readonly prefix: string | undefined;
  /** Only these files of folders, in the syntax of `.gitignore`. */
  readonly include: readonly string[];
  /** Not these files of folders, in the same syntax. */
  readonly exclude: readonly string[];
  readonly signal: AbortSignal;
}

/** A file to add. */
export interface PlannedFile {
  /** Folder that the file must not leave, an absolute path. */
  readonly root: string;
  /** Path in the folder, with `/` between its segments. */
  readonly path: string;
  /** Size in bytes when it was listed. */
  readonly size: number;
  /** Name of the document: the same on every machine and in every working directory. */
  readonly sourcePath: string;
}

/** The files to add. */
export interface Plan {
  readonly files: readonly PlannedFile[];
  /** Starts of the paths of all files. */
  readonly prefixes: readonly string[];
  /** Files and folders that cannot be read, with paths as in `sourcePath`. */
  readonly problems: readonly Pick<FolderProblem, "path" | "code" | "error">[];
  /** Links without a target, which are left out, with paths as in `sourcePath`. */
  readonly warnings: readonly Warning[];
  /** Number of files of other types in folders, by extension (`.ext`). */
  readonly otherTypes: Readonly<Record<string, number>>;
  /** Number of folders in folders that are left out. */
  readonly subfolders: number;
}

/**
 * Lists the files of paths.
 *
 * The path of a document is the name of the given folder and the path inside it, or the name of a given file. The
 * folders above are left out: they differ between machines, and may have the name of the user.
 *
 * @throws {ConfigError} For a path that does not exist, or two files with the same path.
 */
export async function planFiles(paths: readonly string[], options: PlanOptions): Promise<Plan> {
  const files = new Map<string, PlannedFile>();
  const prefixes: string[] = [];
  const problems: Plan["problems"][number][] = [];
  const warnings: Warning[] = [];
  const otherTypes = new OtherTypes();
  let subfolders = 0;
  const prefix = options.prefix?.replace(/^\/+|\/+$/g, "");
  const add = (file: PlannedFile) => {
    const other = files.get(file.sourcePath);
    if (other && join(other.root, other.path) !== join(file.root, file.path)) {
      throw new ConfigError(
        `Two files would have the path ${
          quoteText(file.sourcePath, 500)
        }: add their folders with --prefix one by one`,
      );
    }
    files.set(file.sourcePath, file);
  };
  for (const path of paths) {
    const { isDirectory, real, size } = await inspect(path);
    const name = basename(real);
    if (!isDirectory) {
      const sourcePath = joined(prefix ?? "", name);
      prefixes.push(sourcePath);
      add({ root: dirname(real), path: name, size, sourcePath });
      continue;
    }
    const top = prefix ?? name;
    prefixes.push(top === "" ? "" : `${top}/`);
    const { include, exclude, recursive, signal } = options;
    const accepts = (name: string) => {
      const isDocument = isDocumentName(name);
      if (!isDocument) otherTypes.count(name);
      return isDocument;
    };
    const onProblem = ({ path, code, error, isFolder }: FolderProblem) => {
      if (!recursive && isFolder && code === "too_many_files") subfolders++;
      else if (code === "broken_link") warnings.push({ path: joined(top, path), warning: error });
      else problems.push({ path: joined(top, path), code, error });
    };
    const depth = recursive ? {} : { maxDepth: 0 };
    for await (const file of walkFolder(real, { include, exclude, accepts, onProblem, signal, ...depth })) {
      add({ root: real, path: file.path, size: file.size, sourcePath: joined(top, file.path) });
    }
  }
  return {
    files: [...files.values()],
    prefixes,
    problems,
    warnings,
    otherTypes: otherTypes.byType(),
    subfolders,
  };
}

async function inspect(path: string): Promise<{ isDirectory: boolean; real: string; size: number }> {
  try {
    const [{ isDirectory, size }, real] = await Promise.all([Deno.stat(path), Deno.realPath(path)]);
    return { isDirectory, real, size };
  } catch (cause) {
    throw new ConfigError(`Cannot add ${quoteText(path, 500)}: ${systemReason(cause)}`, { cause });
  }
}

function joined(prefix: string, path: string): string {
  return prefix === "" ? path : path === "" ? prefix : `${prefix}/${path}`;
}

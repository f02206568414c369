import { mapConcurrent } from "../../async/mod.ts";
import { COLLECTION_PREFIX } from "../../contract/mod.ts";
import { isDocumentName } from "../../extraction/mod.ts";
import {
  FolderError,
  type FolderFile,
  type FolderProblem,
  hashFile,
  openInside,
  walkFolder,
} from "../../folder/mod.ts";
import { systemReason } from "../../text/mod.ts";
import {
  type FileState,
  KnowledgeBaseError,
  type SourceFile,
  type SourceOptions,
} from "../knowledge_base/mod.ts";
import type { SyncRun } from "./source_syncer.ts";

/** Number of files that are read and stored at the same time. */
const CONCURRENCY = 4;
/** Number of files in one transaction that stores no text. */
const BATCH_SIZE = 64;
/**
 * A change this long before a file was read, in milliseconds, may have left its times as they were: file systems count
 * in steps of up to 2 s (FAT). Such a file is hashed again, as git does with "racily clean" entries.
 */
const TIME_RESOLUTION_MS = 2_000;

/** Returns the tags that the options of a source give to its documents, with its collection. */
export function tagsOfSource({ collection, tags, version_label: version }: SourceOptions): string[] {
  const label = version === undefined ? [] : [`version:${version}`];
  return [...new Set([`${COLLECTION_PREFIX}${collection}`, ...tags, ...label])];
}

/**
 * Makes the documents of a source equal to the files of its folder. Each file is stored in a transaction of its own with
 * its record, so that the synchronization can be interrupted at any moment and repeated.
 *
 * A folder that is missing or empty is an unmounted disk rather than one whose files were all deleted: nothing changes.
 * Neither does anything below a folder that cannot be listed.
 */
export async function syncFolder(run: SyncRun): Promise<void> {
  const { source, progress, store, paths, signal } = run;
  const problem = await findProblem(source.location);
  const known = new Map(
    (await store.files(source.id, paths)).map((file) => [file.path, file]),
  );
  if (problem !== undefined && (problem.isMissing || known.size > 0)) {
    progress.error = `${problem.message}. Nothing was deleted`;
    return;
  }
  const sync = new FolderSync(run, known);
  await sync.scan();
  signal.throwIfAborted();
  await sync.findRenames();
  await sync.deleteMissing();
  await sync.readFiles();
}

/** Returns why a folder is not there. */
async function findProblem(root: string): Promise<{ message: string; isMissing: boolean } | undefined> {
  try {
    for await (const _ of Deno.readDir(root)) return undefined;
    return { message: "The folder is empty: check that its disk is mounted", isMissing: false };
  } catch (error) {
    return { message: `Cannot list the folder: ${systemReason(error)}`, isMissing: true };
  }
}

/** A file to read, with its record. */
interface Candidate {
  readonly file: FolderFile;
  readonly stored: SourceFile | undefined;
}

/** The steps of one synchronization. */
class FolderSync {
  readonly #run: SyncRun;
  /** Stored files that the folder has not shown yet. */
  readonly #missing: Map<string, SourceFile>;
  readonly #givenTags: readonly string[];
  #candidates: Candidate[] = [];

  constructor(run: SyncRun, known: Map<string, SourceFile>) {
    this.#run = run;
    this.#missing = known;
    this.#givenTags = tagsOfSource(run.source.options);
  }

  /** Compares the files of the folder with the stored ones, by size and times. */
  async scan(): Promise<void> {
    const { source, paths, signal, progress } = this.#run;
    const { include, exclude } = source.options;
    const problems: FolderProblem[] = [];
    const outdatedTags: string[] = [];
    const files = walkFolder(source.location, {
      include,
      exclude,
      ...(paths && { only: paths }),
      accepts: (name) => {
        const isDocument = isDocumentName(name);
        // Some paths may have been counted before, with the whole folder.
        if (!isDocument && !paths) progress.leaveOut(name);
        return isDocument;
      },
      onProblem: (problem) => problems.push(problem),
      signal,
    });
    for await (const file of files) {
      const stored = this.#missing.get(file.path);
      this.#missing.delete(file.path);
      if (!stored || !this.#isUnchanged(stored, file)) {
        this.#candidates.push({ file, stored });
        continue;
      }
      if (stored.error) progress.fail(file.path, stored.error.code, stored.error.message);
      else {
        progress.count("unchanged");
        if (!sameTags(stored.givenTags, this.#givenTags)) outdatedTags.push(file.path);
      }
    }
    for (const { path, code, error } of problems) {
      if (code === "broken_link") progress.warn(path, [error]);
      else progress.fail(path, code, error);
    }
    this.#keep(problems);
    await this.#applyTags(outdatedTags);
  }

  /** Finds files whose content has only moved. Their documents keep their ids. */
  async findRenames(): Promise<void> {
    const { source, store, progress, signal } = this.#run;
    const byHash = Map.groupBy(
      [...this.#missing.values()].filter(({ documentId }) => documentId !== null),
      ({ contentHash }) => contentHash ?? "",
    );
    byHash.delete("");
    const sizes = new Set([...byHash.values()].flat().map(({ state }) => state.size));
    const remaining: Candidate[] = [];
    for (const candidate of this.#candidates) {
      signal.throwIfAborted();
      const { file, stored } = candidate;
      const checkedAt = Date.now();
      const hash = !stored && sizes.has(file.size) ? await this.#hash(file.path) : undefined;
      const moved = hash === undefined ? undefined : takeLikeliest(byHash.get(hash), file.path);
      if (!moved) {
        remaining.push(candidate);
        continue;
      }
      const mustRead = nameMatters(moved.path, file.path);
      try {
        const state = stateOf(file, checkedAt);
        await store.moveFile({ sourceId: source.id, path: moved.path, to: file.path, state, mustRead });
      } catch (error) {
        this.#failStore(file.path, error);
        continue;
      }
      this.#missing.delete(moved.path);
      progress.count("renamed");
      if (mustRead) remaining.push({ file, stored: { ...moved, path: file.path, contentHash: null } });
      else if (!sameTags(moved.givenTags, this.#givenTags)) await this.#applyTags([file.path]);
    }
    this.#candidates = remaining;
  }

  /** Moves the documents of files that are gone to the trash. */
  async deleteMissing(): Promise<void> {
    const { source, store, progress, signal } = this.#run;
    const paths = [...this.#missing.keys()];
    for (let at = 0; at < paths.length; at += BATCH_SIZE) {
      signal.throwIfAborted();
      progress.count("deleted", await store.removeFiles(source.id, paths.slice(at, at + BATCH_SIZE)));
    }
  }

  /** Reads new and changed files. */
  async readFiles(): Promise<void> {
    const { signal } = this.#run;
    await mapConcurrent(this.#candidates, { limit: CONCURRENCY, signal }, (each) => this.#readFile(each));
  }

  async #readFile({ file, stored }: Candidate): Promise<void> {
    const { source, store, reader, progress } = this.#run;
    const { path } = file;
    const target = { sourceId: source.id, path };
    const isRenamed = stored?.contentHash === null && stored.documentId !== null;
    try {
      const checkedAt = Date.now();
      const mayBeSame = stored?.contentHash != null && stored.state.size === file.size &&
        !this.#mustRetry(stored) &&
        (stored.documentId !== null || stored.error !== null);
      if (mayBeSame && await this.#hash(path) === stored.contentHash) {
        await store.touchFiles([{
          ...target,
          state: stateOf(file, checkedAt),
          contentHash: stored.contentHash,
        }]);
        if (!sameTags(stored.givenTags, this.#givenTags)) await this.#applyTags([path]);
        if (stored.error) progress.fail(path, stored.error.code, stored.error.message);
        else progress.count("unchanged");
        return;
      }
      const state = stateOf(file, Date.now());
      await using opened = await openInside(source.location, path);
      const filename = path.slice(path.lastIndexOf("/") + 1);
      const read = await reader.read({ filename, sizeBytes: opened.size, chunks: opened.chunks() });
      // The size is that of the bytes that were read. If the file was changing, its next size or time differs.
      const content = { ...target, state: { ...state, size: read.sizeBytes }, contentHash: read.contentHash };
      if ("error" in read) {
        await store.failFile(content, read.error);
        return progress.fail(path, read.error.code, read.error.message);
      }
      const { contentHash, document } = read;
      const { outcome } = await store.storeFile({
        ...content,
        contentHash,
        document,
        givenTags: this.#givenTags,
      });
      if (!isRenamed) progress.count(outcome);
      progress.warn(path, document.warnings);
    } catch (error) {
      this.#failStore(path, error);
    }
  }

  /** Returns undefined for a file that has disappeared, or cannot be read. */
  async #hash(path: string): Promise<string | undefined> {
    try {
      return await hashFile(this.#run.source.location, path);
    } catch (error) {
      if (error instanceof FolderError) return undefined;
      throw error;
    }
  }

  /** Reports a file that could not be read or stored. Its record stays, so that it is read again. */
  #failStore(path: string, error: unknown): void {
    const { progress, signal } = this.#run;
    signal.throwIfAborted();
    if (error instanceof FolderError) {
      // It has disappeared since the folder was listed: the next synchronization deletes its document.
      if (error.code !== "not_found") progress.fail(path, error.code, error.message);
    } else if (
      error instanceof KnowledgeBaseError && (error.code === "conflict" || error.code === "invalid")
    ) {
      progress.fail(path, error.code, error.message);
    } else throw error;
  }

  /** Keeps the records of what could not be inspected, and of everything below. */
  #keep(problems: readonly FolderProblem[]): void {
    for (const { path } of problems) this.#missing.delete(path);
    const folders = new Set(problems.filter(({ isFolder }) => isFolder).map(({ path }) => path));
    if (folders.size === 0) return;
    for (const path of this.#missing.keys()) {
      if (foldersOf(path).some((folder) => folders.has(folder))) this.#missing.delete(path);
    }
  }

  async #applyTags(paths: readonly string[]): Promise<void> {
    const { source, store } = this.#run;
    for (let at = 0; at < paths.length; at += BATCH_SIZE) {
      await store.tagFiles(source.id, paths.slice(at, at + BATCH_SIZE), this.#givenTags);
    }
  }

  #isUnchanged(stored: SourceFile, file: FolderFile): boolean {
    const { size, mtime, ctime, checkedAt } = stored.state;
    return size === file.size && mtime === file.mtime && ctime === file.ctime &&
      Math.max(mtime, ctime) < checkedAt - TIME_RESOLUTION_MS && !this.#mustRetry(stored) &&
      (stored.error !== null || stored.contentHash !== null && stored.documentId !== null);
  }

  #mustRetry({ error }: SourceFile): boolean {
    return this.#run.retry && error !== null;
  }
}

function stateOf({ size, mtime, ctime }: FolderFile, checkedAt: number): FileState {
  return { size, mtime, ctime, checkedAt };
}

function sameTags(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((tag, at) => tag === b[at]);
}

/** Returns the folders that a path is in; the empty path of the root, too. */
function foldersOf(path: string): string[] {
  return path.split("/").map((_, at, segments) => segments.slice(0, at).join("/"));
}

/** Removes and returns the file that has most likely moved to a path: one with the same name, else the first. */
function takeLikeliest(files: SourceFile[] | undefined, path: string): SourceFile | undefined {
  if (!files || files.length === 0) return undefined;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const at = files.findIndex((file) => file.path === name || file.path.endsWith(`/${name}`));
  return files.splice(Math.max(at, 0), 1)[0];
}

/** Whether a document may depend on the name of its file: its type by the extension, its title by the name. */
function nameMatters(from: string, to: string): boolean {
  return from.slice(from.lastIndexOf("/") + 1) !== to.slice(to.lastIndexOf("/") + 1);
}

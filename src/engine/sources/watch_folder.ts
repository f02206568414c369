import { relative, sep } from "node:path";
import { isHidden } from "../../folder/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";

/** Quiet time after the last event, in milliseconds: editors write a file in several steps. */
const DEBOUNCE_MS = 300;
/** Maximum delay after the first event, in milliseconds, while events keep arriving. */
const MAX_DELAY_MS = 3_000;
/** Number of changed paths above which the whole folder is compared. */
const MAX_PATHS = 200;
/** Minimum time between two scans of a folder without events, in milliseconds. */
const POLL_MS = 5_000;
/**
 * The same where events arrive, in milliseconds. Network and container file systems accept a watcher and send it
 * nothing about changes of other machines.
 */
const SAFETY_POLL_MS = 60_000;
/** A scan may take up to this share of the time. */
const MAX_POLL_SHARE = 1 / 50;

/** Options of {@linkcode watchFolder}. */
export interface WatchOptions {
  /**
   * Called with the paths that have changed, relative to the root; undefined if anything may have changed. Not called
   * again before its promise has settled, and neither is `onPoll`.
   */
  readonly onChange: (paths: readonly string[] | undefined) => Promise<void>;
  /** Called at intervals to compare everything, since events can be missing. */
  readonly onPoll: () => Promise<void>;
  readonly log: Logger;
  /** Minimum time between two scans without events, in milliseconds. @default {5000} */
  readonly pollMs?: number;
}

/** A folder that is being watched. Dispose of it to end that. */
export interface FolderWatch extends AsyncDisposable {
  /** Resolves when events arrive, or it is certain that none will. */
  readonly started: Promise<void>;
}

/**
 * Reports changes of a folder: by events of the file system, and by scans at intervals that grow with the duration of a
 * scan. Without events (too many folders for inotify, a file system that has none), by scans alone.
 */
export function watchFolder(root: string, options: WatchOptions): FolderWatch {
  return new FolderWatcher(root, options);
}

class FolderWatcher implements FolderWatch {
  readonly #root: string;
  readonly #options: WatchOptions;
  readonly #events: Promise<void>;
  readonly #started = Promise.withResolvers<void>();
  #watcher: Deno.FsWatcher | undefined;
  /** Changed paths; undefined: everything may have changed. */
  #paths: Set<string> | undefined = new Set();
  #firstEventAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pollTimer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(root: string, options: WatchOptions) {
    this.#root = root;
    this.#options = options;
    this.#events = this.#watch();
    void this.started.then(() => this.#schedulePoll(0));
  }

  get started(): Promise<void> {
    return this.#started.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#pollTimer);
    this.#closeWatcher();
    await this.#events;
    await this.#running;
  }

  async #watch(): Promise<void> {
    const { log } = this.#options;
    try {
      // Events name real paths.
      const root = await Deno.realPath(this.#root);
      if (this.#isClosed) return;
      this.#watcher = Deno.watchFs(root, { recursive: true });
      this.#started.resolve();
      for await (const event of this.#watcher) this.#record(root, event);
    } catch (error) {
      if (!this.#isClosed) log.warn("cannot watch folder: scanning it at intervals instead", { error });
    }
    this.#closeWatcher();
    this.#started.resolve();
  }

  #closeWatcher(): void {
    try {
      this.#watcher?.close();
    } catch {
      // It has ended by itself.
    }
    this.#watcher = undefined;
  }

  #record(root: string, { kind, flag, paths }: Deno.FsEvent): void {
    if (kind === "access") return;
    // The system has dropped events.
    if (flag === "rescan") this.#paths = undefined;
    const changed = paths.map((path) => changedPath(root, path)).filter((path) => path !== undefined);
    if (changed.length === 0 && this.#paths) return;
    for (const path of changed) {
      if (path === "") this.#paths = undefined;
      this.#paths?.add(path);
    }
    if ((this.#paths?.size ?? 0) > MAX_PATHS) this.#paths = undefined;
    const now = performance.now();
    if (this.#timer === undefined) this.#firstEventAt = now;
    clearTimeout(this.#timer);
    const delay = Math.max(0, Math.min(DEBOUNCE_MS, this.#firstEventAt + MAX_DELAY_MS - now));
    this.#timer = setTimeout(() => this.#flush(), delay);
  }

  #flush(): void {
    this.#timer = undefined;
    const paths = this.#paths && [...this.#paths];
    this.#paths = new Set();
    const { onChange } = this.#options;
    void this.#report(() => onChange(paths));
  }

  #report(follow: () => Promise<void>): Promise<void> {
    const { log } = this.#options;
    return this.#running = this.#running.then(async () => {
      if (this.#isClosed) return;
      await follow().catch((error) => log.error("failed to follow changes of a folder", { error }));
    });
  }

  #schedulePoll(scanMs: number): void {
    if (this.#isClosed) return;
    const { pollMs = POLL_MS, onPoll } = this.#options;
    const minimum = this.#watcher ? Math.max(pollMs, SAFETY_POLL_MS) : pollMs;
    this.#pollTimer = setTimeout(async () => {
      const startedAt = performance.now();
      await this.#report(onPoll);
      this.#schedulePoll(performance.now() - startedAt);
    }, Math.max(minimum, scanMs / MAX_POLL_SHARE));
  }
}

/**
 * Returns the path that a change affects, relative to the root; empty for the root, undefined for a hidden file. A change
 * of ignore patterns affects the whole folder that they are in.
 */
function changedPath(root: string, path: string): string | undefined {
  const segments = relative(root, path).split(sep);
  const name = segments.at(-1);
  const isIgnoreFile = name === ".gitignore" || name === ".kbignore";
  const affected = isIgnoreFile ? segments.slice(0, -1) : segments;
  return affected.some(isHidden) ? undefined : affected.join("/");
}

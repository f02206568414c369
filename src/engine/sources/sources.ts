import type * as z from "zod";
import {
  type DocumentSummary,
  type NewSourceFile,
  type RemovedSource,
  type Source,
  type SyncReport,
  type SyncRequest,
  type WrittenFile,
} from "../../contract/mod.ts";
import { delay } from "../../async/mod.ts";
import { overlappingFolders } from "../../folder/mod.ts";
import { type Logger, runDetached, withSpan } from "../../telemetry/mod.ts";
import { KnowledgeBaseError, type SourceStore, type StoredSource } from "../knowledge_base/mod.ts";
import { createSourceFile } from "./create_source_file.ts";
import { describeSource } from "./describe_source.ts";
import type { DocumentReader } from "./document_reader.ts";
import { closedError, runSync } from "./run_sync.ts";
import { definitionOf, type NewSourceOptions, requireFolder } from "./source_definition.ts";
import { SourceRunner, type SyncScope } from "./source_runner.ts";
import type { SourceSyncer } from "./source_syncer.ts";
import { SyncProgress } from "./sync_progress.ts";
import { type FolderWatch, watchFolder } from "./watch_folder.ts";

/** Number of files in one transaction while a source is removed. */
const BATCH_SIZE = 64;

/** Options of {@linkcode Sources}. */
export interface SourcesOptions {
  /** Stores sources and documents. */
  readonly store: SourceStore;
  /** Extracts the text of files. The sources dispose of it. */
  readonly reader: DocumentReader;
  /** Returns the document with a `source_path`. */
  readonly documentAt: (sourcePath: string) => Promise<DocumentSummary | undefined>;
  /** Receives counts and errors. Never receives names of files. */
  readonly log: Logger;
  /** Synchronizes sources of other types than `folder`. */
  readonly syncers?: Readonly<Record<string, SourceSyncer>>;
  /** Ends requests that wait for a synchronization, before the sources are disposed of. */
  readonly signal?: AbortSignal;
  /** Called when a source has been added, before its synchronization. */
  readonly onAdded?: (() => void) | undefined;
  /** Called after each synchronization. */
  readonly onSync?: (name: string, report: SyncReport) => void;
}

/** A source while the engine runs. */
interface ActiveSource {
  readonly runner: SourceRunner;
  /** Ends its synchronization when it is removed. */
  readonly removal: AbortController;
  progress: SyncProgress | undefined;
  /** The last report, which is stored only if it says something new. */
  report: SyncReport | undefined;
  watcher: FolderWatch | undefined;
}

/** The sources of an engine: folders and websites whose files become documents and stay in sync. */
export class Sources implements AsyncDisposable {
  readonly #options: SourcesOptions;
  readonly #closing = new AbortController();
  readonly #active = new Map<number, ActiveSource>();
  /** The last synchronization of each type: one runs at a time, so that memory stays bounded. */
  readonly #lanes = new Map<string, Promise<unknown>>();
  #started: Promise<void> = Promise.resolve();

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /**
   * Applies the configured sources, then synchronizes every folder and watches those that ask for it. Returns at once;
   * problems are logged and reported by the sources.
   */
  start(configured: readonly NewSourceOptions[]): void {
    const { log } = this.#options;
    this.#started = this.#start(configured).catch((error) => {
      if (!this.#closing.signal.aborted) log.error("failed to start sources", { error });
    });
  }

  /** All sources by name. */
  async list(): Promise<Source[]> {
    await this.#started;
    const sources = await this.#options.store.list();
    return await Promise.all(sources.map((source) => this.#describe(source)));
  }

  /** Returns a source. Throws `not_found`. */
  async get(id: number): Promise<Source> {
    return await this.#describe(await this.#require(id));
  }

  /**
   * Adds a source, or changes the options of the one with its name, and starts its synchronization.
   *
   * @throws {KnowledgeBaseError} `invalid` for a path that is no folder, `conflict` for a name that is taken.
   */
  async add(source: NewSourceOptions): Promise<Source> {
    await this.#started;
    const definition = definitionOf(source, false);
    if (definition.type === "folder") await requireFolder(definition.location);
    else if (!this.#options.syncers?.[definition.type]) {
      throw new KnowledgeBaseError("invalid", `This engine has no sources of the type ${definition.type}`);
    }
    const before = (await this.#options.store.list()).find(({ name }) => name === source.name);
    if (before?.configured) throw configuredError(before);
    const stored = await this.#options.store.put(definition);
    this.#options.onAdded?.();
    await this.#watch(stored);
    void this.#request(stored.id, { paths: undefined, retry: false });
    return await this.#describe(stored);
  }

  /**
   * Removes a source.
   *
   * @throws {KnowledgeBaseError} `not_found`, or `conflict` for one that the configuration defines.
   */
  async remove(id: number, { keepDocuments }: { readonly keepDocuments: boolean }): Promise<RemovedSource> {
    const { store } = this.#options;
    const source = await this.#require(id);
    if (source.configured) throw configuredError(source);
    const active = this.#active.get(id);
    active?.removal.abort();
    await active?.watcher?.[Symbol.asyncDispose]();
    const deleted = await this.#exclusive(source, async () => {
      let deleted = 0;
      const paths = keepDocuments ? [] : (await store.files(id)).map(({ path }) => path);
      for (let at = 0; at < paths.length; at += BATCH_SIZE) {
        deleted += await store.removeFiles(id, paths.slice(at, at + BATCH_SIZE));
      }
      await store.remove(id);
      return deleted;
    });
    this.#active.delete(id);
    return { status: "removed", source_id: id, name: source.name, deleted };
  }

  /** Synchronizes a source, and waits up to `wait_seconds` for the end. Throws `not_found`. */
  async sync(
    id: number,
    { path, retry, wait_seconds: seconds }: z.output<typeof SyncRequest>,
  ): Promise<Source> {
    const source = await this.#require(id);
    const done = this.#request(source.id, { paths: path === undefined ? undefined : [path], retry });
    if (seconds > 0) {
      const ended = new AbortController();
      const { signal = this.#closing.signal } = this.#options;
      const timeout = delay(seconds * 1000, AbortSignal.any([ended.signal, signal]));
      // A failed synchronization is in the report.
      await Promise.race([done.catch(() => {}), timeout]).finally(() => ended.abort());
    }
    return await this.get(id);
  }

  /**
   * Creates a Markdown file in a writable folder, and stores its document.
   *
   * @throws {KnowledgeBaseError} `not_found`, `forbidden` for a source that is not writable, `invalid` for a folder that
   * leaves it or is excluded, `conflict` if the file could not be stored.
   */
  async writeFile(id: number, file: z.output<typeof NewSourceFile>): Promise<WrittenFile> {
    const source = await this.#require(id);
    const path = await createSourceFile(source, file, (path) => this.#isKnown(source, path));
    const report = await this.#request(id, { paths: [path], retry: false });
    const document = await this.#options.documentAt(`${source.name}/${path}`);
    if (document?.source === source.name) return { path, document };
    const problem = report.failures[0]?.error ?? report.error ??
      "the patterns of the source or a .gitignore or .kbignore exclude it";
    throw new KnowledgeBaseError("conflict", `The file ${path} was written, but has no document: ${problem}`);
  }

  /** Whether the source knows a file at a path, or a document has it. */
  async #isKnown({ id, name }: StoredSource, path: string): Promise<boolean> {
    const { store, documentAt } = this.#options;
    return (await store.files(id, [path])).length > 0 || await documentAt(`${name}/${path}`) !== undefined;
  }

  /** Ends synchronizations and watching. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#started;
    const active = [...this.#active.values()];
    // First, since a watcher waits for the synchronization that it has started.
    await this.#options.reader[Symbol.asyncDispose]();
    await Promise.all(active.map(({ watcher }) => watcher?.[Symbol.asyncDispose]()));
    await Promise.all(active.map(({ runner }) => runner.idle()));
  }

  async #start(configured: readonly NewSourceOptions[]): Promise<void> {
    const { store, log } = this.#options;
    for (const source of configured) {
      try {
        await store.put(definitionOf(source, true));
      } catch (error) {
        log.error("failed to apply a configured source", { source: source.name, error });
      }
    }
    const names = configured.map(({ name }) => name);
    const sources = await store.list();
    for (const { name, configured: wasConfigured } of sources) {
      if (!wasConfigured || names.includes(name)) continue;
      log.warn(
        "a source is no longer configured and stays in sync: remove it with kb-mcp source remove",
        { source: name },
      );
    }
    await store.setConfigured(names);
    // Not awaited: a network mount that hangs must not delay the others.
    void this.#warnOfOverlaps(sources);
    for (const source of sources) {
      if (this.#closing.signal.aborted) return;
      if (source.type !== "folder") continue;
      void this.#watch(source)
        .then(() => this.#request(source.id, { paths: undefined, retry: false }))
        .catch(() => {/* it is in the report */});
    }
  }

  /** Logs which folders contain others: a file in both is stored as two documents. */
  async #warnOfOverlaps(sources: readonly StoredSource[]): Promise<void> {
    const folders = sources.filter(({ type }) => type === "folder");
    for (const [at, other] of await overlappingFolders(folders.map(({ location }) => location))) {
      this.#options.log.warn("the folders of two sources overlap: a file in both is two documents", {
        source: folders[at]?.name,
        other: folders[other]?.name,
      });
    }
  }

  /**
   * Starts or ends watching, as the options of a source say. Resolves when events arrive: a synchronization that
   * starts before would miss what changes in between.
   */
  async #watch(source: StoredSource): Promise<void> {
    const { log } = this.#options;
    const active = this.#activeSource(source.id);
    const { watcher } = active;
    active.watcher = undefined;
    void watcher?.[Symbol.asyncDispose]();
    if (!source.options.watch || source.type !== "folder" || this.#closing.signal.aborted) return;
    // Later changes do not belong to the request that has added the source.
    active.watcher = runDetached(() =>
      watchFolder(source.location, {
        log,
        onChange: async (paths) => {
          await this.#request(source.id, { paths, retry: false });
        },
        onPoll: () => this.#closing.signal.aborted ? Promise.resolve() : active.runner.poll(),
      })
    );
    await active.watcher.started;
  }

  #activeSource(id: number): ActiveSource {
    let active = this.#active.get(id);
    if (!active) {
      const created: ActiveSource = {
        runner: new SourceRunner((scope) => this.#run(id, scope, created)),
        removal: new AbortController(),
        progress: undefined,
        report: undefined,
        watcher: undefined,
      };
      this.#active.set(id, active = created);
    }
    return active;
  }

  #request(id: number, scope: SyncScope): Promise<SyncReport> {
    if (this.#closing.signal.aborted) return Promise.reject(closedError());
    return this.#activeSource(id).runner.request(scope);
  }

  async #run(id: number, scope: SyncScope, active: ActiveSource): Promise<SyncReport> {
    const { store, reader, onSync } = this.#options;
    const source = await this.#require(id);
    const report = await this.#exclusive(source, () =>
      withSpan("source sync", {}, async (span) => {
        const progress = active.progress = new SyncProgress();
        try {
          const signal = AbortSignal.any([this.#closing.signal, active.removal.signal]);
          const run = { source, store, reader, progress, signal, ...scope };
          const report = await runSync(run, this.#options);
          const { created, updated, deleted, failed } = report;
          span.set({ created, updated, deleted, failed });
          return active.report = report;
        } finally {
          active.progress = undefined;
        }
      }));
    onSync?.(source.name, report);
    return report;
  }

  /** Runs work while no synchronization of the same type runs. */
  #exclusive<T>({ type }: StoredSource, work: () => Promise<T>): Promise<T> {
    const done = (this.#lanes.get(type) ?? Promise.resolve()).then(work);
    this.#lanes.set(type, done.catch(() => {}));
    return done;
  }

  async #require(id: number): Promise<StoredSource> {
    await this.#started;
    const source = await this.#options.store.get(id);
    if (!source) throw new KnowledgeBaseError("not_found", `There is no source ${id}`);
    return source;
  }

  async #describe(source: StoredSource): Promise<Source> {
    const counts = await this.#options.store.counts(source.id);
    const active = this.#active.get(source.id);
    return describeSource(source, counts, {
      state: active?.runner.isRunning ? "syncing" : active?.watcher ? "watching" : "idle",
      lastSync: active?.progress?.report({ isRunning: true }) ?? active?.report ?? source.lastSync,
    });
  }
}

function configuredError({ name }: { readonly name: string }): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "conflict",
    `The configuration of the engine defines the source ${name}: change KB_SOURCES or kb-mcp.toml and restart the engine`,
  );
}

import { MAX_SYNC_FAILURES, type SyncReport } from "../../contract/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { KnowledgeBaseError } from "../knowledge_base/mod.ts";
import type { SourceSyncer, SyncRun } from "./source_syncer.ts";
import { syncFolder } from "./sync_folder.ts";

/** Dependencies of {@linkcode runSync}. */
export interface RunSyncOptions {
  readonly log: Logger;
  /** Synchronizes sources of other types than `folder`. */
  readonly syncers?: Readonly<Record<string, SourceSyncer>>;
}

/**
 * Synchronizes a source and stores the report, unless it only repeats the last one.
 *
 * @throws {KnowledgeBaseError} If the signal aborts. Any other error is in the report.
 */
export async function runSync(run: SyncRun, options: RunSyncOptions): Promise<SyncReport> {
  const { source, store, progress } = run;
  await synchronize(run, options);
  const report = withEarlierFiles(run);
  // A scan that has found nothing new is not a write.
  if (progress.hasChanges || !isSameResult(report, source.lastSync)) await store.report(source.id, report);
  return report;
}

/** Returns the error for requests to an engine that closes. */
export function closedError(): KnowledgeBaseError {
  return new KnowledgeBaseError("internal", "The engine is closing");
}

async function synchronize(run: SyncRun, { log, syncers = {} }: RunSyncOptions): Promise<void> {
  const { source, progress, signal } = run;
  const sync = source.type === "folder" ? syncFolder : syncers[source.type];
  const startedAt = performance.now();
  try {
    if (!sync) {
      throw new KnowledgeBaseError("invalid", `This engine has no sources of the type ${source.type}`);
    }
    await sync(run);
  } catch (error) {
    if (signal.aborted) throw closedError();
    log.error("failed to synchronize source", { source: source.name, error });
    const isPublic = error instanceof KnowledgeBaseError && error.code !== "internal";
    progress.error = isPublic ? error.message : "An internal error: see the engine's log";
  }
  const { created, updated, renamed, deleted, failed, error } = progress.report({ isRunning: false });
  if (error !== undefined) log.warn("source was not synchronized", { source: source.name, error });
  if (progress.hasChanges) {
    const ms = Math.round(performance.now() - startedAt);
    log.info("synchronized source", {
      source: source.name,
      created,
      updated,
      renamed,
      deleted,
      failed,
      ms,
    });
  }
}

/** Returns the report of a synchronization, with what the last one says of files that were not part of it. */
function withEarlierFiles({ source: { lastSync }, paths, progress }: SyncRun): SyncReport {
  const report = progress.report({ isRunning: false });
  if (!paths || !lastSync) return report;
  // A folder above the paths can fail again, too.
  const again = new Set(report.failures.map(({ path }) => path));
  const isPart = (path: string) =>
    again.has(path) || paths.some((each) => path === each || path.startsWith(`${each}/`));
  const earlier = lastSync.failures.filter(({ path }) => !isPart(path));
  return {
    ...report,
    ...(lastSync.other_types && { other_types: lastSync.other_types }),
    failed: report.failed + earlier.length,
    failures: [...report.failures, ...earlier].slice(0, MAX_SYNC_FAILURES),
  };
}

function isSameResult(a: SyncReport, b: SyncReport | null): boolean {
  const result = (report: SyncReport | null) =>
    JSON.stringify({ ...report, started_at: "", finished_at: "" });
  return result(a) === result(b);
}

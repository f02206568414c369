import { delay } from "../../async/mod.ts";
import { type EngineClient, EngineError, type EngineErrorCode } from "../../client/mod.ts";
import { collectionTag } from "../../collections/mod.ts";
import type { Job } from "../../contract/mod.ts";
import { FolderError, openInside } from "../../folder/mod.ts";
import { basename } from "node:path";
import { ACTOR } from "../client/client_context.ts";
import { errorText } from "../client/error_text.ts";
import type { Failure, Warning } from "../client/failures.ts";
import { jobError } from "../client/notes.ts";
import { JobFollower } from "./job_follower.ts";
import type { PlannedFile } from "./plan.ts";
import type { StoredDocuments, StoredTarget } from "./stored_documents.ts";

/** Number of files that are read and sent at the same time. */
const CONCURRENCY = 4;
/** Maximum number of jobs that have not ended: enough to keep the engine busy, and all on one page of its list. */
const MAX_PENDING = 150;
/** Delay before a file is sent again to a busy engine, in milliseconds; it doubles up to the maximum. */
const FIRST_BUSY_DELAY_MS = 100;
const MAX_BUSY_DELAY_MS = 5_000;
/** Maximum delay that an engine can ask for, in milliseconds. */
const MAX_RETRY_AFTER_MS = 60_000;
/** Maximum time for which an engine may be busy without accepting a file, in milliseconds. */
const MAX_BUSY_MS = 300_000;

/** Errors that are about one file. Any other one would meet the next file as well. */
const FILE_ERRORS: ReadonlySet<EngineErrorCode> = new Set<EngineErrorCode>([
  "too_large",
  "invalid",
  "conflict",
  "outcome_unknown",
]);

/**
 * Results of a file. `stored`: the engine does not report which. `accepted`: the engine has received it, and the command
 * did not wait for the rest.
 */
export const FILE_OUTCOMES = [
  "created",
  "replaced",
  "duplicate",
  "unpacked",
  "stored",
  "accepted",
  "unchanged",
  "failed",
] as const;
/** One of {@linkcode FILE_OUTCOMES}. */
export type FileOutcome = (typeof FILE_OUTCOMES)[number];

/** Details of a file's outcome. */
export interface FileDetail {
  /** Why the file is not stored. */
  readonly failure?: Failure;
  /** Doubts about its text. */
  readonly warning?: Warning;
}

/** Options of {@linkcode addFiles}. */
export interface AddFilesOptions {
  readonly client: EngineClient;
  /** Documents to compare with. */
  readonly stored: StoredDocuments;
  /** Collection of files without one in `target`. */
  readonly defaultCollection: string;
  readonly target: StoredTarget;
  /** Whether to replace a note at the path of a file. */
  readonly overwrite: boolean;
  /** Whether to wait until the files are stored. */
  readonly wait: boolean;
  readonly signal: AbortSignal;
  /** Receives the job of a file while it is processed. */
  readonly onProgress?: (file: PlannedFile, job: Job) => void;
  /** Receives each file when its outcome is known. */
  readonly onOutcome: (file: PlannedFile, outcome: FileOutcome, detail?: FileDetail) => void;
}

/**
 * Sends files that are not stored yet to the engine, a few at a time, and follows their jobs. A file that cannot be
 * stored is reported, and the others continue.
 *
 * @throws {EngineError} When the engine cannot be used any more, or the signal aborts. The outcomes so far have been
 * reported.
 */
export async function addFiles(files: readonly PlannedFile[], options: AddFilesOptions): Promise<void> {
  const { client, wait, onOutcome } = options;
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);
  const follower = new JobFollower(client, signal);
  const next = files.values();
  const send = async () => {
    for (const file of next) {
      const accepted = await addFile(file, { ...options, signal });
      if (!accepted) continue;
      if (wait) {
        follower.follow(accepted.job_id, {
          onProgress: (job) => options.onProgress?.(file, job),
          onEnd: (job) => reportEnd(file, job, onOutcome),
          onPending: () => onOutcome(file, "accepted"),
        });
      } else onOutcome(file, "accepted");
      await follower.drain(MAX_PENDING);
    }
  };
  const senders = Array.from({ length: CONCURRENCY }, () =>
    send().catch((error) => {
      // The others stop because of it, and fail with less to say.
      const reason = stopping.signal.aborted ? undefined : error;
      stopping.abort();
      return reason;
    }));
  try {
    const error = (await Promise.all(senders)).find((reason) => reason !== undefined);
    if (error !== undefined) throw error;
    await follower.drain(0);
  } catch (error) {
    await follower.settle();
    throw error;
  }
}

/** Sends a file. Returns undefined if there is no job, which has been reported. */
async function addFile(
  file: PlannedFile,
  { client, stored, target, defaultCollection, overwrite, signal, onOutcome }: AddFilesOptions,
): Promise<{ job_id: Job["job_id"] } | undefined> {
  const fail = (code: string, error: string) =>
    onOutcome(file, "failed", { failure: { path: file.sourcePath, code, error } });
  try {
    const state = await stored.compare(file, target);
    if (state === "unchanged") return void onOutcome(file, "unchanged");
    await using opened = await openInside(file.root, file.path);
    if (opened.size === 0) return void fail("no_text", "The file is empty");
    return await whenAccepted(signal, () =>
      client.addFile({
        filename: basename(file.path),
        size: opened.size,
        open: () => ReadableStream.from(copies(opened.chunks())),
        source_path: file.sourcePath,
        tags: [collectionTag(target.collection ?? defaultCollection), ...target.tags],
        keepCollection: target.collection === undefined,
        // The engine would refuse the new content of a file that is in another collection.
        overwrite: overwrite || state === "changed",
      }, { actor: ACTOR, signal }));
  } catch (error) {
    if (error instanceof FolderError) return void fail(error.code, error.message);
    if (!(error instanceof EngineError) || !FILE_ERRORS.has(error.code)) throw error;
    fail(error.code, errorText(error.message));
  }
}

/** Copies chunks that are valid until the next one, because a stream reads ahead. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield chunk.slice();
}

/** Repeats a call while the engine is busy, such as with a full queue, as late as it asks for. */
async function whenAccepted<Result>(signal: AbortSignal, send: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  for (let delayMs = FIRST_BUSY_DELAY_MS;; delayMs = Math.min(2 * delayMs, MAX_BUSY_DELAY_MS)) {
    try {
      return await send();
    } catch (error) {
      const isBusy = error instanceof EngineError && error.code === "busy";
      if (!isBusy || performance.now() - startedAt > MAX_BUSY_MS) throw error;
      await delay(Math.min(error.retryAfterMs ?? delayMs, MAX_RETRY_AFTER_MS), signal, { ref: true });
    }
  }
}

function reportEnd(file: PlannedFile, job: Job | undefined, onOutcome: AddFilesOptions["onOutcome"]): void {
  if (job?.status === "failed" || job?.status === "cancelled") {
    const { error_code, status, ...rest } = job;
    const error = status === "cancelled" ? "The job was cancelled" : jobError(rest);
    const failure = { path: file.sourcePath, code: error_code ?? status, error };
    return onOutcome(file, "failed", { failure });
  }
  const outcome = FILE_OUTCOMES.find((each) => each === job?.outcome);
  const { warning } = job ?? {};
  onOutcome(file, outcome ?? "stored", warning ? { warning: { path: file.sourcePath, warning } } : {});
}

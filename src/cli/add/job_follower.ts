import { delay } from "../../async/mod.ts";
import { type EngineClient, EngineError, type EngineErrorCode } from "../../client/mod.ts";
import { hasEnded, type Id, type Job, MAX_PAGE } from "../../contract/mod.ts";

/** Delay between two polls in milliseconds. */
const POLL_MS = 50;
/** Maximum number of jobs that are polled one by one in a round, because the list of the latest does not have them. */
const MAX_SINGLE_POLLS = 20;
/** Time without the end of a job after which to find out whether the engine can store anything, in milliseconds. */
const STALLED_MS = 5000;
/** Maximum time for the last poll of a command that stops, in milliseconds. */
const LAST_POLL_MS = 2000;

/** By `storage.state`: the error of a command that waits for jobs. */
const STORAGE_PROBLEMS: Readonly<
  Record<string, { code: EngineErrorCode; message: (jobs: number) => string } | undefined>
> = {
  storage_full: {
    code: "storage_full",
    message: (jobs) =>
      `The disk of the engine is full. Free some space: it then stores the files that it has received (${jobs})`,
  },
  read_only: {
    code: "read_only",
    message: () =>
      "The disk or the data of the engine is read-only: kb-mcp doctor and the engine's log have the reason",
  },
  storage_damaged: {
    code: "storage_damaged",
    message: () => "The stored data of the engine is damaged: see kb-mcp check",
  },
};

/** Receives what happens to a job. */
export interface JobEvents {
  /** Called while the job is processed. */
  readonly onProgress?: (job: Job) => void;
  /** Called with the ended job; undefined if the engine no longer knows its result. */
  readonly onEnd: (job: Job | undefined) => void;
  /** Called instead if the job is still pending when the command stops. */
  readonly onPending?: () => void;
}

interface FollowedJob extends JobEvents {
  readonly id: Id;
}

/**
 * Follows many jobs to their ends with few requests: a page of the latest jobs usually has all that are pending.
 */
export class JobFollower {
  readonly #client: EngineClient;
  readonly #signal: AbortSignal;
  readonly #pending = new Map<string, FollowedJob>();
  /** The poll that all waits share. */
  #round: Promise<void> | undefined;
  readonly #stalledMs: number;
  #lastEndAt = performance.now();

  /**
   * @param signal Ends all waits.
   * @param stalledMs Time without the end of a job after which to check the engine's storage, in milliseconds.
   */
  constructor(client: EngineClient, signal: AbortSignal, stalledMs = STALLED_MS) {
    this.#client = client;
    this.#signal = signal;
    this.#stalledMs = stalledMs;
  }

  /** Number of jobs that have not ended. */
  get size(): number {
    return this.#pending.size;
  }

  /** Follows a job. */
  follow(id: Id, events: JobEvents): void {
    this.#pending.set(String(id), { id, ...events });
  }

  /**
   * Polls until at most `count` jobs are pending.
   *
   * @throws {EngineError} When the engine cannot be called, its disk is full or damaged, or the signal aborts.
   */
  async drain(count: number): Promise<void> {
    while (this.#pending.size > count) {
      await (this.#round ??= this.#wait().finally(() => this.#round = undefined));
    }
  }

  /**
   * Polls a last time after the waits have failed, without their signal, so that jobs that have ended since then are
   * reported, and then the others as pending. An engine that cannot be called has no more to report.
   */
  async settle(): Promise<void> {
    try {
      if (this.#pending.size > 0) await this.#poll(AbortSignal.timeout(LAST_POLL_MS));
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
    }
    for (const { onPending } of this.#pending.values()) onPending?.();
    this.#pending.clear();
  }

  async #wait(): Promise<void> {
    await delay(POLL_MS, this.#signal, { ref: true });
    if (this.#signal.aborted) throw new EngineError("cancelled", "Waiting for the jobs was cancelled");
    await this.#poll(this.#signal);
    if (performance.now() - this.#lastEndAt > this.#stalledMs) await this.#checkStorage();
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const jobs = await this.#latestJobs(signal);
    const listed = new Set<string>();
    for (const job of jobs) {
      listed.add(String(job.job_id));
      if (hasEnded(job)) this.#end(String(job.job_id), job);
      else if (job.status === "processing") this.#pending.get(String(job.job_id))?.onProgress?.(job);
    }
    const others = [...this.#pending.values()].filter(({ id }) => !listed.has(String(id)));
    for (const { id } of others.slice(0, MAX_SINGLE_POLLS)) {
      const job = await this.#job(id, signal);
      if (!job || hasEnded(job)) this.#end(String(id), job);
    }
  }

  /** Without this, a full disk would keep the command waiting until there is space. */
  async #checkStorage(): Promise<void> {
    this.#lastEndAt = performance.now();
    const { storage } = await this.#client.status({ signal: this.#signal });
    const problem = STORAGE_PROBLEMS[storage?.state ?? "ok"];
    if (problem === undefined) return;
    throw new EngineError(problem.code, problem.message(this.#pending.size));
  }

  /** Returns the latest jobs; none from an engine of another make that does not list them. */
  async #latestJobs(signal: AbortSignal): Promise<readonly Job[]> {
    try {
      return (await this.#client.jobs({ limit: MAX_PAGE }, { signal })).jobs;
    } catch (error) {
      if (error instanceof EngineError && error.code === "invalid_response") return [];
      throw error;
    }
  }

  /** Returns a job; undefined if it has ended so long ago that its result is not kept. */
  async #job(id: Id, signal: AbortSignal): Promise<Job | undefined> {
    try {
      return await this.#client.job(id, { signal });
    } catch (error) {
      if (error instanceof EngineError && (error.code === "expired" || error.code === "not_found")) {
        return undefined;
      }
      throw error;
    }
  }

  #end(id: string, job: Job | undefined): void {
    this.#lastEndAt = performance.now();
    const followed = this.#pending.get(id);
    this.#pending.delete(id);
    followed?.onEnd(job);
  }
}

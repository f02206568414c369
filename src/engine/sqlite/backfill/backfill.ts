import type { DatabaseSync } from "node:sqlite";
import { delay } from "../../../async/mod.ts";
import type { EmbeddingModel } from "../../../embeddings/mod.ts";
import { type ChunkVector, embeddableChunks, storeVectors } from "../store/mod.ts";
import { documentText } from "./document_text.ts";
import { type OnProblem, ProblemReporter } from "./problem_reporter.ts";
import { MAX_DELAY_MS, mayBeBadText, RetryPolicy } from "./retry_policy.ts";
import { WorkQueue } from "./work_queue.ts";

/** Delay before chunks that wait for an import are claimed again, in milliseconds. */
const DEFERRED_MS = 250;

/** Settings of {@linkcode Backfill}. */
export interface BackfillOptions {
  /** The writing connection. Each use is a short transaction. */
  readonly db: DatabaseSync;
  /** Returns the id of the set to fill; undefined: none yet. When it changes, all of the new set is filled. */
  readonly currentSet: () => number | undefined;
  readonly model: Pick<EmbeddingModel, "embedDocuments" | "batchSize" | "concurrency" | "probe">;
  /** Command that embeds all chunks again, for error messages. */
  readonly command: string;
  /** Receives the current problem, or null when it is over. */
  readonly onProblem: OnProblem;
  /** Called after each stored batch. */
  readonly onStored?: () => void;
  /** Whether the chunks of files wait for an import to end. @default {() => false} */
  readonly isImporting?: () => boolean;
  /** Whether an error ends the backfill and rejects {@linkcode Backfill.run}. @default {() => false} */
  readonly isFatal?: (error: unknown) => boolean;
  /** Waits until the time is over or the signal aborts. */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Embeds every chunk that has no vector.
 *
 * A failed batch is retried with exponential backoff. If the model works for other text, the batch is split
 * until the bad text is found; that chunk is quarantined, retried while other chunks continue, and finally
 * stored as rejected. All state is in the database, so a killed process resumes with the chunks that have no
 * vector.
 */
export class Backfill implements Disposable {
  readonly #options: BackfillOptions;
  readonly #delay: NonNullable<BackfillOptions["delay"]>;
  readonly #problem: ProblemReporter;
  readonly #queue: WorkQueue;
  readonly #stop = new AbortController();
  /** Whether chunks may have been added since the scan began. */
  #isScanRequested = false;
  /** Resolves at the next call of {@linkcode Backfill.wake} or {@linkcode Backfill.run}. */
  #woken = Promise.withResolvers<void>();
  /** Aborts when chunks have been added, no batch is being embedded any more, or the backfill stops. */
  #arrival = new AbortController();
  /** Delay before the next quarantine round; it continues while other chunks are embedded. */
  #quarantineDelay: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  /** Number of batches that are being embedded. */
  #batches = 0;
  #isRecovering = false;

  constructor(options: BackfillOptions) {
    this.#options = options;
    this.#delay = options.delay ?? delay;
    this.#problem = new ProblemReporter(options.onProblem, options.command);
    const { isImporting } = options;
    this.#queue = new WorkQueue(options.db, options.currentSet, { isImporting });
  }

  /** Starts in the background. To be called when chunks may have been added. */
  wake(): void {
    this.#requestScan();
    if (this.#running || this.#isRecovering) return;
    this.run().catch(async () => {
      // The database cannot be read, or the error is fatal.
      this.#isRecovering = true;
      await this.#delay(MAX_DELAY_MS, this.#stop.signal);
      this.#isRecovering = false;
      if (!this.#stop.signal.aborted) this.wake();
    });
  }

  /**
   * Embeds until no chunk is left.
   *
   * @throws An error for which `isFatal` returns true.
   */
  run(): Promise<void> {
    this.#requestScan();
    return this.#running ??= this.#run();
  }

  /** Scans all chunks again. */
  rescan(): void {
    this.#queue.rescan();
  }

  /** Aborts requests to the model. The database is not used afterwards. */
  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#arrival.abort();
  }

  #requestScan(): void {
    this.#isScanRequested = true;
    this.#woken.resolve();
    this.#wakeWorkers();
  }

  #wakeWorkers(): void {
    this.#arrival.abort();
    this.#arrival = new AbortController();
  }

  async #run(): Promise<void> {
    try {
      while (this.#isScanRequested && !this.#stop.signal.aborted) {
        this.#isScanRequested = false;
        this.#woken = Promise.withResolvers();
        // The caller may be in the middle of a write.
        await nextTask();
        if (this.#stop.signal.aborted) return;
        this.#queue.refresh();
        await this.#concurrently(() => this.#embedQueue());
        await this.#retryQuarantine();
      }
    } finally {
      // In the same task as the last check of `#isScanRequested`, so that no call of `wake` is missed.
      this.#running = undefined;
    }
  }

  async #concurrently(work: () => Promise<void>): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.model.concurrency }, work));
  }

  /** Embeds until no chunk is left. Chunks that arrive while others are embedded do not wait for them. */
  async #embedQueue(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      if (this.#queue.quarantine.isFull) return this.#requestScan();
      const { setId, ids, isEnd, isDeferred } = this.#queue.claim(this.#options.model.batchSize);
      if (ids.length > 0) await this.#embedBatch(setId, ids);
      else if (isDeferred) await this.#delay(DEFERRED_MS, this.#arrival.signal);
      else if (!isEnd) await nextTask();
      else if (this.#batches > 0) await aborted(this.#arrival.signal);
      else return;
    }
  }

  async #embedBatch(setId: number, ids: readonly number[]): Promise<void> {
    this.#batches++;
    try {
      await this.#embedOrQuarantine(setId, ids);
    } finally {
      if (--this.#batches === 0) this.#wakeWorkers();
    }
  }

  /** Embeds chunks, in halves where one of them makes the model fail. */
  async #embedOrQuarantine(setId: number, ids: readonly number[]): Promise<void> {
    const { model } = this.#options;
    const retry = new RetryPolicy();
    const stack = [ids];
    for (let next = stack.pop(); next && !this.#stop.signal.aborted; next = stack.pop()) {
      // The model may have learned of a smaller maximum since the claim.
      const batch = next.slice(0, model.batchSize);
      if (batch.length < next.length) stack.push(next.slice(batch.length));
      try {
        await this.#embed(setId, batch);
        retry.recordSuccess();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#throwIfFatal(error);
        retry.recordFailure();
        if (retry.shouldProbe && await this.#isBadText(error)) {
          retry.recordBadText();
          const middle = Math.ceil(batch.length / 2);
          if (batch.length > 1) stack.push(batch.slice(middle), batch.slice(0, middle));
          else for (const id of batch) this.#queue.quarantine.add(id);
          continue;
        }
        stack.push(batch);
        this.#problem.report(error);
        await this.#delay(retry.delayMs(error), this.#stop.signal);
      }
    }
  }

  /**
   * Retries quarantined chunks in rounds, until all are done or new chunks, which take precedence, arrive.
   */
  async #retryQuarantine(): Promise<void> {
    const { signal } = this.#stop;
    const { quarantine } = this.#queue;
    const shouldReturn = () => signal.aborted || this.#isScanRequested && !quarantine.isFull;
    while (quarantine.size > 0 && !shouldReturn()) {
      let isDue = false;
      this.#quarantineDelay ??= this.#delay(quarantine.delayMs, signal);
      await Promise.race([
        this.#quarantineDelay.then(() => isDue = true),
        // A full quarantine admits no new chunks.
        ...(quarantine.isFull ? [] : [this.#woken.promise]),
      ]);
      if (!isDue || signal.aborted) return;
      this.#quarantineDelay = undefined;
      const { setId } = this.#queue;
      const ids = quarantine.nextRound();
      let isModelAvailable = true;
      await this.#concurrently(async () => {
        for (let id = ids.shift(); id !== undefined && isModelAvailable; id = ids.shift()) {
          isModelAvailable = await this.#retry(setId, id);
          if (shouldReturn()) return;
        }
      });
    }
  }

  /** Retries a quarantined chunk. Returns whether the model is available. */
  async #retry(setId: number, id: number): Promise<boolean> {
    const { quarantine } = this.#queue;
    try {
      await this.#embed(setId, [id]);
    } catch (error) {
      if (this.#stop.signal.aborted) return false;
      this.#throwIfFatal(error);
      if (!await this.#isBadText(error)) {
        this.#problem.report(error);
        return false;
      }
      if (!quarantine.recordFailure(id)) return true;
      this.#store(setId, [{ chunkId: id, vector: null }]);
    }
    quarantine.delete(id);
    return true;
  }

  /** Whether the model embeds another text. Then it has no problem, and the text that failed is the cause. */
  async #isBadText(error: unknown): Promise<boolean> {
    if (!mayBeBadText(error)) return false;
    try {
      await this.#options.model.probe(this.#stop.signal);
    } catch {
      return false;
    }
    if (this.#stop.signal.aborted) return false;
    this.#problem.clear();
    return true;
  }

  #throwIfFatal(error: unknown): void {
    if (!this.#options.isFatal?.(error)) return;
    this.#stop.abort();
    throw error;
  }

  async #embed(setId: number, ids: readonly number[]): Promise<void> {
    const { db, model } = this.#options;
    const { signal } = this.#stop;
    // Read for each attempt, so that the text of a deleted document is not sent.
    const chunks = embeddableChunks(db, ids);
    if (chunks.length === 0) return;
    const texts = chunks.map(({ title, headings, text }) => documentText(title, headings, text));
    const vectors = await model.embedDocuments(texts, signal);
    if (signal.aborted) return;
    this.#store(setId, chunks.map(({ id }, index) => ({ chunkId: id, vector: vectors[index] ?? null })));
    this.#problem.clear();
  }

  #store(setId: number, vectors: readonly ChunkVector[]): void {
    storeVectors(this.#options.db, setId, vectors);
    this.#options.onStored?.();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

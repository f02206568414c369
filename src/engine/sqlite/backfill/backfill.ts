import type { DatabaseSync } from "node:sqlite";
import { pause } from "../../../async/mod.ts";
import {
  type ChunkVector,
  countVectors,
  embeddableChunks,
  isStorageFailure,
  missingVectors,
  storeVectors,
  VectorsRefused,
} from "../store/mod.ts";
import { documentText } from "./document_text.ts";
import { type Embedder, EmbeddingError } from "../../../embeddings/mod.ts";
import { SetAside } from "./set_aside.ts";

/** Pause after the first failure, in milliseconds; it doubles with each in a row, up to the longest. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
/** Failures in a row after which it is asked whether a text is to blame. */
const PATIENCE = 3;

/** Settings of {@linkcode Backfill}. */
export interface BackfillOptions {
  /** The connection that writes. Work on it is short and in transactions of its own. */
  readonly db: DatabaseSync;
  /** The set that is filled; another one than before is filled from its beginning. */
  readonly set: () => number;
  readonly embedder: Pick<Embedder, "embedDocuments" | "batchSize" | "probe">;
  /** Most batches at once. */
  readonly concurrency: number;
  /** The command that embeds everything anew. */
  readonly command: string;
  /**
   * Told when the model begins to fail, and why; null: when it works again. The cause is for the log, and there where the problem
   * does not say it.
   */
  readonly onProblem: (problem: string | null, cause?: string) => void;
  /** Told of each batch that was stored. */
  readonly onStored?: () => void;
  /** Whether to give up, rejecting {@linkcode Backfill.run}, and not to try again. Default: never. */
  readonly isFatal?: (error: unknown) => boolean;
  /** Waits, no longer than until the signal aborts. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Gives every chunk its vector. Chunks are embedded in the order of their ids, which only grow, so that what has been looked at
 * need not be looked at again; what the model could not do is tried until it can, with longer and longer pauses. A text at which
 * it fails while it takes others is set aside for them, tried again later, and at last stored as refused.
 *
 * Nothing is kept outside the database: after a kill it goes on with the chunks that have no vector.
 */
export class Backfill implements Disposable {
  readonly #options: BackfillOptions;
  readonly #pause: NonNullable<BackfillOptions["pause"]>;
  readonly #stop = new AbortController();
  #setId = 0;
  /** Chunks up to this id have their vector in the set, or are being embedded. */
  #upTo = 0;
  #isWanted = false;
  /** Settled when there is a new wish. */
  #woken = Promise.withResolvers<void>();
  readonly #aside = new SetAside();
  /** The pause before what was set aside is tried again; it goes on while other chunks are embedded. */
  #rest: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  /** Whether it waits before it reads the database again. */
  #isResting = false;
  #problem: string | null = null;

  constructor(options: BackfillOptions) {
    this.#options = options;
    this.#pause = options.pause ?? pause;
  }

  /** Says that there may be chunks without a vector. Returns at once. */
  wake(): void {
    this.#want();
    if (this.#running || this.#isResting) return;
    this.run().catch(async () => {
      // The database could not be read, or there is nothing to go on with.
      this.#isResting = true;
      await this.#pause(LONGEST_PAUSE_MS, this.#stop.signal);
      this.#isResting = false;
      if (!this.#stop.signal.aborted) this.wake();
    });
  }

  /**
   * Embeds what there is to embed.
   *
   * @returns When there is nothing left, or when this was disposed of.
   * @throws What `isFatal` says yes to.
   */
  run(): Promise<void> {
    this.#want();
    return this.#running ??= this.#run();
  }

  /** Looks at all chunks again from now on. */
  rescan(): void {
    this.#upTo = 0;
    this.#aside.clear();
  }

  /** Gives up what is being embedded; touches the database no more. */
  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  #want(): void {
    this.#isWanted = true;
    this.#woken.resolve();
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWanted && !this.#stop.signal.aborted) {
        this.#isWanted = false;
        this.#woken = Promise.withResolvers();
        // Whoever woke us may be in the middle of a write, whose caller waits.
        await nextTurn();
        if (this.#stop.signal.aborted) return;
        this.#skipWhatIsComplete();
        await this.#inLanes(() => this.#lane());
        await this.#retryAside();
      }
    } finally {
      // In the same turn as the last look at what is wanted, so that no wish is lost in between.
      this.#running = undefined;
    }
  }

  async #inLanes(lane: () => Promise<void>): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.concurrency }, lane));
  }

  #skipWhatIsComplete(): void {
    this.#followSet();
    if (this.#upTo > 0) return;
    const { db } = this.#options;
    const { embedded, refused, total } = countVectors(db, this.#setId);
    if (embedded + refused < total) return;
    this.#upTo = Number(db.prepare("SELECT max(id) AS id FROM chunks").get()?.id ?? 0);
  }

  #followSet(): void {
    const setId = this.#options.set();
    if (setId === this.#setId) return;
    this.#setId = setId;
    this.rescan();
  }

  async #lane(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      if (this.#aside.isFull) return this.#want();
      // In one turn of the event loop, so that no other lane takes the same ones.
      const { setId, ids, isEnd } = this.#claim();
      if (ids.length > 0) await this.#embed(setId, ids);
      else if (isEnd) return;
      else await nextTurn();
    }
  }

  #claim() {
    this.#followSet();
    const { db, embedder } = this.#options;
    const { ids, upTo, isEnd } = missingVectors(db, this.#setId, this.#upTo, embedder.batchSize);
    this.#upTo = upTo;
    return { setId: this.#setId, ids, isEnd };
  }

  async #embed(setId: number, ids: readonly number[]): Promise<void> {
    const { embedder } = this.#options;
    let failures = 0;
    let patience = PATIENCE;
    const parts = [ids];
    for (let part = parts.pop(); part && !this.#stop.signal.aborted; part = parts.pop()) {
      // The server may have been found to take fewer than when these were chosen.
      const batch = part.slice(0, embedder.batchSize);
      if (batch.length < part.length) parts.push(part.slice(batch.length));
      try {
        await this.#embedBatch(setId, batch);
        failures = 0;
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#endIfFatal(error);
        if (++failures >= patience && await this.#isTextToBlame(error)) {
          patience = 1;
          failures = 0;
          this.#report(null);
          const [id] = batch;
          const middle = Math.ceil(batch.length / 2);
          if (batch.length > 1) parts.push(batch.slice(middle), batch.slice(0, middle));
          else if (id !== undefined) this.#aside.add(id);
          continue;
        }
        parts.push(batch);
        this.#reportError(error);
        await this.#pause(pauseAfter(failures - 1, error), this.#stop.signal);
      }
    }
  }

  /** Tries again what was set aside, in rounds, until nothing is left of it or other chunks have come, which go first. */
  async #retryAside(): Promise<void> {
    const { signal } = this.#stop;
    const hasBetterToDo = () => signal.aborted || this.#isWanted && !this.#aside.isFull;
    while (this.#aside.size > 0 && !hasBetterToDo()) {
      let isRested = false;
      this.#rest ??= this.#pause(this.#aside.pauseMs, signal);
      await Promise.race([
        this.#rest.then(() => isRested = true),
        // Nothing is added to what is full.
        ...(this.#aside.isFull ? [] : [this.#woken.promise]),
      ]);
      if (!isRested || signal.aborted) return;
      this.#rest = undefined;
      const setId = this.#setId;
      const ids = this.#aside.next();
      let isModelThere = true;
      await this.#inLanes(async () => {
        for (let id = ids.shift(); id !== undefined && isModelThere; id = ids.shift()) {
          isModelThere = await this.#retry(setId, id);
          if (hasBetterToDo()) return;
        }
      });
    }
  }

  /** @returns Whether the model takes anything at all. */
  async #retry(setId: number, id: number): Promise<boolean> {
    try {
      await this.#embedBatch(setId, [id]);
    } catch (error) {
      if (this.#stop.signal.aborted) return false;
      this.#endIfFatal(error);
      if (!await this.#isTextToBlame(error)) {
        this.#reportError(error);
        return false;
      }
      this.#report(null);
      if (!this.#aside.failed(id)) return true;
      this.#store(setId, [{ chunkId: id, vector: null }]);
    }
    this.#aside.delete(id);
    return true;
  }

  /** Whether the model takes another text than the one at which it failed. */
  async #isTextToBlame(error: unknown): Promise<boolean> {
    if (!(error instanceof EmbeddingError) || error.code !== "unavailable") return false;
    try {
      await this.#options.embedder.probe(this.#stop.signal);
      return !this.#stop.signal.aborted;
    } catch {
      return false;
    }
  }

  #endIfFatal(error: unknown): void {
    if (!this.#options.isFatal?.(error)) return;
    this.#stop.abort();
    throw error;
  }

  async #embedBatch(setId: number, ids: readonly number[]): Promise<void> {
    const { db, embedder } = this.#options;
    const { signal } = this.#stop;
    // Read for each attempt: what was deleted meanwhile is not sent.
    const chunks = embeddableChunks(db, ids);
    if (chunks.length === 0) return;
    const texts = chunks.map(({ title, headings, text }) => documentText(title, headings, text));
    const vectors = await embedder.embedDocuments(texts, signal);
    if (signal.aborted) return;
    this.#store(setId, chunks.map(({ id }, index) => ({ chunkId: id, vector: vectors[index] ?? null })));
    this.#report(null);
  }

  #store(setId: number, vectors: readonly ChunkVector[]): void {
    storeVectors(this.#options.db, setId, vectors);
    this.#options.onStored?.();
  }

  #describe(error: unknown): string {
    if (error instanceof EmbeddingError) return error.message;
    if (error instanceof VectorsRefused) {
      return `${error.message}: set KB_EMBEDDINGS_MODEL and KB_EMBEDDINGS_DIMENSIONS back, or embed everything anew with ` +
        this.#options.command;
    }
    return isStorageFailure(error)
      ? "Vectors cannot be stored, because the disk is full or failing: make room"
      : "Vectors could not be stored";
  }

  #reportError(error: unknown): void {
    const isKnown = error instanceof EmbeddingError || error instanceof VectorsRefused;
    this.#report(this.#describe(error), isKnown || !(error instanceof Error) ? undefined : error.message);
  }

  #report(problem: string | null, cause?: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem(problem, cause);
  }
}

/** Doubling pauses, each between a half and the whole, so that many clients do not come back at once. */
function pauseAfter(failures: number, error: unknown): number {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  const ownWish = error instanceof EmbeddingError ? error.retryAfterMs ?? 0 : 0;
  return Math.max(longest * (0.5 + Math.random() / 2), ownWish);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

import type { DocumentUses } from "./store/mod.ts";

/** Options of {@linkcode UsageCounter}. */
export interface UsageCounterOptions {
  /** Stores counts. If it rejects, they are lost. */
  readonly store: (uses: readonly DocumentUses[]) => Promise<unknown>;
  /** Clock, in the format of `timestamp`. */
  readonly now: () => string;
  /** Time from the first use until it is stored, in milliseconds. @default {60_000} */
  readonly delayMs?: number;
}

/** Default of {@linkcode UsageCounterOptions.delayMs}: a read must not cost a sync of the disk. */
const DEFAULT_DELAY_MS = 60_000;

/** Number of documents after which counts are stored without further delay. */
const MAX_DOCUMENTS = 10_000;

/**
 * Counts how often searches and reads return each document. Counts in memory, and stores the counts in the
 * background and on close; a crash loses those of the last minute.
 *
 * @example
 * ```ts
 * import { UsageCounter } from "./usage_counter.ts";
 * import { assertEquals } from "@std/assert";
 * const stored: unknown[] = [];
 * {
 *   const now = () => "2026-03-31T09:00:00.000Z";
 *   await using counter = new UsageCounter({ store: (uses) => Promise.resolve(stored.push(...uses)), now });
 *   counter.count([7, 7, 8]);
 *   counter.count([7]);
 * }
 * assertEquals(stored, [
 *   { documentId: 7, uses: 2, lastUsedAt: "2026-03-31T09:00:00.000Z" },
 *   { documentId: 8, uses: 1, lastUsedAt: "2026-03-31T09:00:00.000Z" },
 * ]);
 * ```
 */
export class UsageCounter implements AsyncDisposable {
  readonly #options: UsageCounterOptions;
  #uses = new Map<number, DocumentUses>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** Starts no timer before the first use. */
  constructor(options: UsageCounterOptions) {
    this.#options = options;
  }

  /** Counts one use of each document, however often it is named. */
  count(documentIds: Iterable<number>): void {
    if (this.#isClosed) return;
    const lastUsedAt = this.#options.now();
    for (const documentId of new Set(documentIds)) {
      const uses = (this.#uses.get(documentId)?.uses ?? 0) + 1;
      this.#uses.set(documentId, { documentId, uses, lastUsedAt });
    }
    if (this.#uses.size >= MAX_DOCUMENTS) void this.flush();
    else if (this.#uses.size > 0) this.#timer ??= this.#startTimer();
  }

  /** Stores the counts. Never rejects: they only order lists. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    await this.#options.store(uses).catch(() => {});
  }

  /** Stores the remaining counts. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.flush();
  }

  #startTimer(): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => void this.flush(), this.#options.delayMs ?? DEFAULT_DELAY_MS);
    // The process may end before; it then closes the counter.
    Deno.unrefTimer(timer);
    return timer;
  }
}

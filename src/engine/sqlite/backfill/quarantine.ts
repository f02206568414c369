/** Maximum number of quarantined chunks. */
const CAPACITY = 256;
/** Rounds in which the model fails on a chunk, though it works otherwise, until the chunk is given up. */
const MAX_ROUNDS = 5;
/**
 * Delay before the first round in milliseconds; each further one is four times as long, up to the maximum.
 */
const FIRST_DELAY_MS = 2000;
const MAX_DELAY_MS = 60_000;

/**
 * Chunks on which the model failed while it embedded other text. Either the text is the cause, or the model
 * was overloaded: they are retried in rounds with growing delays before they are given up.
 */
export class Quarantine {
  /** Failed rounds by chunk id. */
  readonly #failedRounds = new Map<number, number>();

  get size(): number {
    return this.#failedRounds.size;
  }

  get isFull(): boolean {
    return this.size >= CAPACITY;
  }

  /** Delay before the next round, in milliseconds. */
  get delayMs(): number {
    return Math.min(FIRST_DELAY_MS * 4 ** this.#fewestRounds(), MAX_DELAY_MS);
  }

  /** Returns the chunks of the next round: those with the fewest failed rounds. */
  nextRound(): number[] {
    const fewest = this.#fewestRounds();
    return [...this.#failedRounds].filter(([, rounds]) => rounds === fewest).map(([id]) => id);
  }

  add(id: number): void {
    this.#failedRounds.set(id, 0);
  }

  /**
   * Counts a failed round.
   *
   * @returns Whether the chunk should be given up.
   */
  recordFailure(id: number): boolean {
    const rounds = (this.#failedRounds.get(id) ?? 0) + 1;
    this.#failedRounds.set(id, rounds);
    return rounds >= MAX_ROUNDS;
  }

  delete(id: number): void {
    this.#failedRounds.delete(id);
  }

  clear(): void {
    this.#failedRounds.clear();
  }

  #fewestRounds(): number {
    return Math.min(...this.#failedRounds.values(), MAX_ROUNDS);
  }
}

/** Most chunks that are set aside. */
const CAPACITY = 256;
/** Rounds in which the model did not take a text, though it took another one. */
const MAX_ROUNDS = 5;
/** Pause before the first round, in milliseconds; each further one is four times as long, up to the longest. */
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Chunks at which the model failed while it took another text. That may be the text's fault, or the model had too much to do:
 * they are tried again in rounds, further and further apart, before a text counts as refused.
 */
export class SetAside {
  /** For each chunk the rounds in which it failed again. */
  readonly #rounds = new Map<number, number>();

  get size(): number {
    return this.#rounds.size;
  }

  /** Whether no more should be set aside before some of these are done with. */
  get isFull(): boolean {
    return this.size >= CAPACITY;
  }

  /** Pause before the next round, in milliseconds. */
  get pauseMs(): number {
    return Math.min(FIRST_PAUSE_MS * 4 ** this.#fewest(), LONGEST_PAUSE_MS);
  }

  /** The chunks of the next round: those that had the fewest. */
  next(): number[] {
    const fewest = this.#fewest();
    return [...this.#rounds].filter(([, rounds]) => rounds === fewest).map(([id]) => id);
  }

  add(id: number): void {
    this.#rounds.set(id, 0);
  }

  /**
   * Counts a round in which a chunk failed again.
   *
   * @returns Whether that was its last one.
   */
  failed(id: number): boolean {
    const rounds = (this.#rounds.get(id) ?? 0) + 1;
    this.#rounds.set(id, rounds);
    return rounds >= MAX_ROUNDS;
  }

  delete(id: number): void {
    this.#rounds.delete(id);
  }

  clear(): void {
    this.#rounds.clear();
  }

  #fewest(): number {
    return Math.min(...this.#rounds.values(), MAX_ROUNDS);
  }
}

/**
 * How many texts go into one request. Servers have limits of their own, which are learnt: a request that was refused only for its
 * size is never made that large again; one that took too long halves the next, and each that succeeds allows one text more.
 */
export class BatchSize {
  #most: number;
  #size: number;

  constructor(most: number) {
    this.#most = this.#size = most;
  }

  get value(): number {
    return this.#size;
  }

  tooLarge(accepted: number): void {
    this.#most = Math.max(1, Math.min(this.#most, accepted));
    this.#size = Math.min(this.#size, this.#most);
  }

  tooSlow(size: number): void {
    this.#size = Math.max(1, Math.min(this.#size, Math.floor(size / 2)));
  }

  succeeded(): void {
    this.#size = Math.min(this.#size + 1, this.#most);
  }
}

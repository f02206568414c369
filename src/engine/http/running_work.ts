/** Counts work in progress, to wait for its end. */
export class RunningWork {
  #count = 0;
  #idle: PromiseWithResolvers<void> | undefined;
  readonly #onEnd = (): void => {
    if (--this.#count > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  };

  /** Counts a promise, which must not reject, until it is settled. Returns the promise. */
  add<T>(work: Promise<T>): Promise<T> {
    this.#count++;
    work.then(this.#onEnd);
    return work;
  }

  /** Resolves when nothing is in progress. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return (this.#idle ??= Promise.withResolvers()).promise;
  }
}

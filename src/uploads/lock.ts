/** Lets one piece of work run at a time, in the order of asking. */
export class Lock {
  #tail: Promise<void> = Promise.resolve();

  /** Runs `work` once everything asked for before has ended, well or badly. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work);
    this.#tail = result.then(() => {}, () => {});
    return result;
  }

  /** Resolves once everything asked for so far has ended. */
  drain(): Promise<void> {
    return this.#tail;
  }
}

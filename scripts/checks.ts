import { print } from "./print.ts";

/** Runs named checks in sequence, prints each result and counts passes and failures. */
export class Checks {
  passed = 0;
  failed = 0;
  readonly #title: string;

  /** @param title Prefix of every printed line. */
  constructor(title: string) {
    this.#title = title;
  }

  /** Runs one check. A failure is counted, printed and rethrown, because later checks depend on earlier ones. */
  async check<T>(name: string, run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      this.passed++;
      print(`ok  ${this.#title}: ${name}`);
      return result;
    } catch (error) {
      this.failed++;
      print(`FAILED  ${this.#title}: ${name}\n${error instanceof Error ? error.stack : error}`);
      throw error;
    }
  }
}

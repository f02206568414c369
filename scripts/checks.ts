import { print } from "./print.ts";

/** Named checks that are made in order and counted. */
export class Checks {
  passed = 0;
  failed = 0;
  readonly #title: string;

  /** @param title What is checked, in front of every line. */
  constructor(title: string) {
    this.#title = title;
  }

  /** Makes a check; what it throws fails it and goes on to the caller, for nothing later could hold. */
  async check<T>(name: string, make: () => Promise<T>): Promise<T> {
    try {
      const result = await make();
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

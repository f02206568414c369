import type { Output } from "../client/output.ts";

/** Minimum time between two updates, in milliseconds. */
const INTERVAL_MS = 200;

/** Number of finished items on standard error, while standard output is a terminal. */
export class Progress implements Disposable {
  readonly #label: string;
  readonly #isShown: boolean;
  #last = 0;
  #hasLine = false;

  constructor({ isTerminal }: Pick<Output, "isTerminal">, label: string) {
    this.#label = label;
    this.#isShown = isTerminal && Deno.stderr.isTerminal();
  }

  /** Shows how many items are done. @param total Unknown: undefined. */
  show(done: number, total?: number): void {
    const now = performance.now();
    if (!this.#isShown || now - this.#last < INTERVAL_MS) return;
    this.#last = now;
    this.#write(`\r\x1b[2K${this.#label} ${done}${total === undefined ? "" : ` of ${total}`}`);
    this.#hasLine = true;
  }

  /** Removes the line. */
  end(): void {
    if (this.#hasLine) this.#write("\r\x1b[2K");
    this.#hasLine = false;
  }

  [Symbol.dispose](): void {
    this.end();
  }

  #write(text: string): void {
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  }
}

import { SingleBar } from "cli-progress";
import type { Output } from "../client/output.ts";

/** Shows on standard error how many documents are done, if a person sees it. */
export class Progress implements Disposable {
  readonly #label: string;
  readonly #isShown: boolean;
  #bar: SingleBar | undefined;

  constructor({ showsProgress }: Pick<Output, "showsProgress">, label: string) {
    this.#label = label;
    this.#isShown = showsProgress;
  }

  /** Shows a number of documents. @param total Undefined: unknown, so that there is no bar. */
  show(done: number, total?: number): void {
    if (!this.#isShown) return;
    if (!this.#bar) {
      const format = total === undefined
        ? "{label} {value}"
        : "{label} [{bar}] {percentage}% {value} of {total}";
      this.#bar = new SingleBar({ format, hideCursor: true, clearOnComplete: true, barsize: 24, fps: 8 });
      this.#bar.start(total ?? 1, 0, { label: this.#label });
    }
    if (total !== undefined) this.#bar.setTotal(total);
    this.#bar.update(done);
  }

  /** Removes the line. */
  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}

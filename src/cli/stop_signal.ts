import { onLauncherEnd } from "./launcher.ts";
import { STOP_SIGNALS } from "./lifecycle.ts";

/** Aborts its signal when the process receives a signal to stop, or its launcher ends. */
export class StopSignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #listeners: [Deno.Signal, () => void][] = [];
  readonly #launcher = onLauncherEnd(() => this.#controller.abort());
  /** 128 + the number of the signal, as shells report it. */
  exitStatus = 0;

  constructor() {
    for (const [signal, number] of STOP_SIGNALS) {
      const listener = () => {
        this.exitStatus ||= 128 + number;
        this.#controller.abort();
      };
      Deno.addSignalListener(signal, listener);
      this.#listeners.push([signal, listener]);
    }
  }

  /** Aborted by the first signal of the process. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    this.#launcher[Symbol.dispose]();
    for (const [signal, listener] of this.#listeners) Deno.removeSignalListener(signal, listener);
  }
}

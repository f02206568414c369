import type { FileContent } from "../../extraction_process/mod.ts";
import {
  type Extracted,
  type ExtractOptions,
  Extractor,
  type ExtractorOptions,
  type ExtractTask,
  isOutOfMemory,
} from "./extractor.ts";
import { Permits } from "./permits.ts";

/** Maximum number of processes while one of them reads a large file: bounds the memory of all together. */
const MAX_WITH_LARGE = 2;

/** Settings of {@linkcode ExtractorPool}. */
export interface ExtractorPoolOptions extends ExtractorOptions {
  /** Starts the process for large files, which may use more memory. @default {command} */
  readonly largeCommand?: ExtractorOptions["command"];
  /** Maximum number of processes. */
  readonly concurrency: number;
}

/**
 * Extracts files in several processes, which start on demand and end when they are idle.
 *
 * One large file is extracted at a time, so that with two or more processes one stays free for small files. A small
 * file whose extraction needs much memory is repeated as a large one.
 */
export class ExtractorPool implements AsyncDisposable {
  readonly #concurrency: number;
  readonly #small: readonly Extractor[];
  readonly #large: Extractor;
  /** Extractors of `#small` without a file; the last one was used last. */
  readonly #idle: Extractor[];
  /** Permits to read a file. */
  readonly #slots: Permits;
  /** The permit to read a large file. */
  readonly #largeSlot = new Permits(() => 1);
  #isLargeTaken = false;
  #onLargeFree: () => void = () => {};

  constructor({ concurrency, largeCommand, ...options }: ExtractorPoolOptions) {
    this.#concurrency = concurrency;
    this.#small = Array.from({ length: concurrency }, () => new Extractor(options));
    this.#idle = [...this.#small];
    this.#large = new Extractor({ ...options, command: largeCommand ?? options.command });
    this.#slots = new Permits(() => this.#isLargeTaken ? Math.min(concurrency, MAX_WITH_LARGE) : concurrency);
  }

  /** Maximum number of files at the same time. */
  get concurrency(): number {
    return this.#concurrency;
  }

  /** Sets the function that is called when another large file may be read. */
  set onLargeFree(callback: () => void) {
    this.#onLargeFree = callback;
  }

  /**
   * Waits until a file may be read. First come, first served.
   *
   * @throws {unknown} The reason of the signal.
   */
  async acquire(signal?: AbortSignal): Promise<ExtractionSlot> {
    await this.#slots.take(signal);
    return new ExtractionSlot({
      run: (isLarge, work) => isLarge ? this.#runLarge(work) : this.#runSmall(work),
      tryTakeLarge: () => {
        const isTaken = this.#largeSlot.tryTake();
        if (isTaken) this.#isLargeTaken = true;
        return isTaken;
      },
      takeLarge: async (signal) => {
        await this.#largeSlot.take(signal);
        this.#isLargeTaken = true;
      },
      releaseLarge: () => {
        this.#isLargeTaken = false;
        this.#largeSlot.release();
        this.#slots.update();
        this.#onLargeFree();
      },
      release: () => this.#slots.release(),
    });
  }

  /** Ends all processes at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#small, this.#large].map((each) => each[Symbol.asyncDispose]()));
  }

  async #runLarge(work: Work): Promise<Extracted | null> {
    const maxOthers = Math.min(this.#concurrency, MAX_WITH_LARGE) - 1;
    let others = this.#small.filter(({ hasProcess }) => hasProcess).length;
    for (const extractor of this.#idle) {
      if (others <= maxOthers) break;
      if (!extractor.hasProcess) continue;
      extractor.endProcess();
      others--;
    }
    return await work(this.#large);
  }

  async #runSmall(work: Work): Promise<Extracted | null> {
    const extractor = this.#idle.pop();
    if (!extractor) throw new Error("A file may be read only with a slot");
    const running = this.#small.filter(({ hasProcess }) => hasProcess).length;
    // The idle process for large files would be one too many.
    if (!extractor.hasProcess && running + 1 >= this.#concurrency) this.#large.endProcess();
    try {
      return await work(extractor);
    } finally {
      this.#idle.push(extractor);
    }
  }
}

type Work = (extractor: Extractor) => Promise<Extracted | null>;

/** The pool as its slots see it. */
interface SlotOwner {
  run(isLarge: boolean, work: Work): Promise<Extracted | null>;
  tryTakeLarge(): boolean;
  takeLarge(signal: AbortSignal | undefined): Promise<void>;
  releaseLarge(): void;
  release(): void;
}

/** Permission to read files, one at a time. Disposing returns it. */
export class ExtractionSlot implements Disposable {
  readonly #owner: SlotOwner;
  #isLarge = false;
  #isReleased = false;

  /** @ignore */
  constructor(owner: SlotOwner) {
    this.#owner = owner;
  }

  /** Takes the permission to read a large file, which only one slot has. Returns whether it has it. */
  tryTakeLarge(): boolean {
    return this.#isLarge ||= this.#owner.tryTakeLarge();
  }

  /** Waits for the permission to read a large file. */
  async takeLarge(signal?: AbortSignal): Promise<void> {
    if (this.#isLarge) return;
    await this.#owner.takeLarge(signal);
    this.#isLarge = true;
  }

  /** Returns the permission to read a large file. */
  releaseLarge(): void {
    if (!this.#isLarge) return;
    this.#isLarge = false;
    this.#owner.releaseLarge();
  }

  /** Extracts one file. See {@linkcode Extractor.run}. */
  async run(task: ExtractTask, options: ExtractOptions = {}): Promise<Extracted | null> {
    return await this.#run((extractor) => extractor.run(task, options), options);
  }

  /** Extracts one file from its bytes, which may be read twice. See {@linkcode Extractor.extract}. */
  async extract(
    content: FileContent,
    task: Omit<ExtractTask, "path">,
    options: ExtractOptions = {},
  ): Promise<Extracted | null> {
    return await this.#run((extractor) => extractor.extract(content, task, options), options);
  }

  /** Lets another file be read. The permission to read a large file is kept until the slot is disposed of. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#owner.release();
  }

  /** Returns all permissions. */
  [Symbol.dispose](): void {
    this.releaseLarge();
    this.release();
  }

  async #run(work: Work, { signal }: ExtractOptions): Promise<Extracted | null> {
    try {
      return await this.#owner.run(this.#isLarge, work);
    } catch (error) {
      if (this.#isLarge || !isOutOfMemory(error)) throw error;
      await this.takeLarge(signal);
      return await this.#owner.run(true, work);
    }
  }
}

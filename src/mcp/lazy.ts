/** Something that takes long to load, and is loaded once, when it is first needed. */
export class Lazy<T> {
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | undefined;
  #loaded: T | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** It, if it is there already. */
  get loaded(): T | undefined {
    return this.#loaded;
  }

  /** What was begun of loading it, if anything was. */
  get loading(): Promise<T> | undefined {
    return this.#loading;
  }

  /** Loads it, or waits for that. */
  load(): Promise<T> {
    return this.#loading ??= this.#load().then((it) => this.#loaded = it);
  }
}

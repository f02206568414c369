/** The header fields of a request, with the read methods of web `Headers`. */
export class RequestHeaders implements Pick<Headers, "get" | "has"> {
  readonly #names: readonly string[];
  readonly #values: string[];

  /**
   * @param names Lower-case names, with repetitions.
   * @param values Values by the index of their name.
   */
  constructor(names: readonly string[], values: string[]) {
    this.#names = names;
    this.#values = values;
  }

  /** Returns the value of a field; several are joined by a comma (RFC 9110 §5.3). */
  get(name: string): string | null {
    const key = name.toLowerCase();
    let joined: string | null = null;
    for (let i = this.#names.indexOf(key); i >= 0; i = this.#names.indexOf(key, i + 1)) {
      joined = joined === null ? this.#values[i]! : `${joined}, ${this.#values[i]!}`;
    }
    return joined;
  }

  /** Returns whether a field was sent. */
  has(name: string): boolean {
    return this.#names.includes(name.toLowerCase());
  }

  /** Replaces the value of a field that was sent once. */
  replace(name: string, value: string): void {
    this.#values[this.#names.indexOf(name)] = value;
  }

  /** Yields the fields in the order of the request, repetitions included. */
  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    for (const [i, name] of this.#names.entries()) yield [name, this.#values[i]!];
  }
}

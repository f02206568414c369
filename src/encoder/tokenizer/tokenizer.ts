/** Turns a text into the input of a model. */
export interface Tokenizer {
  /** Number of tokens in the vocabulary; ids are below it. */
  readonly size: number;
  /** Id of the token for text that the vocabulary does not cover. */
  readonly unknown: number;
  /**
   * Returns the ids of the tokens, with the special tokens that start and end the input. A long text is cut;
   * the work is bounded by `maxTokens`, except for spans without tokens (white space) or of one unknown word.
   *
   * @param maxTokens Maximum number of ids, at least 2.
   * @throws {RangeError} If `maxTokens` is less than 2.
   */
  encode(text: string, maxTokens: number): Uint32Array;
}

/** Ids of one text, up to a maximum. */
export class TokenBuffer {
  readonly #ids: Uint32Array;
  readonly #end: number;
  #length = 0;

  constructor(start: number, end: number, maxTokens: number) {
    if (!Number.isInteger(maxTokens) || maxTokens < 2) {
      throw new RangeError(`Cannot tokenize: maxTokens must be an integer of at least 2, got ${maxTokens}`);
    }
    this.#ids = new Uint32Array(maxTokens);
    this.#ids[this.#length++] = start;
    this.#end = end;
  }

  /** Whether only the token at the end is missing. */
  get isFull(): boolean {
    return this.#length >= this.#ids.length - 1;
  }

  /** Adds a token unless the buffer is full. */
  push(id: number): void {
    if (!this.isFull) this.#ids[this.#length++] = id;
  }

  /** Adds the token at the end and returns all ids. */
  finish(): Uint32Array {
    this.#ids[this.#length++] = this.#end;
    return this.#ids.slice(0, this.#length);
  }
}

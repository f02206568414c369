import { TokenizerError } from "./errors.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Range of a text between special tokens. */
export interface Segment {
  readonly start: number;
  readonly end: number;
  /** Special token after the segment; absent at the end of the text. */
  readonly next?: { readonly token: string; readonly id: number };
}

/**
 * Finds special tokens such as `[SEP]` that occur verbatim in a text. The reference implementation takes them
 * for the tokens themselves, before normalization.
 */
export class SpecialTokens {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #pattern: RegExp | undefined;

  /** @throws {TokenizerError} `vocabulary` if a token is not in the vocabulary. */
  constructor(tokens: readonly string[], vocabulary: Vocabulary) {
    this.#ids = new Map(tokens.map((token) => [token, requiredId(vocabulary, token)]));
    // The longest token that matches wins, hence the order of the alternatives.
    const alternatives = tokens.toSorted((a, b) => b.length - a.length).map((token) => RegExp.escape(token));
    if (tokens.length > 0) this.#pattern = new RegExp(alternatives.join("|"), "g");
  }

  /** Iterates over the segments of a text, without searching beyond the current one. */
  *split(text: string): Iterable<Segment> {
    let start = 0;
    for (const match of this.#pattern === undefined ? [] : text.matchAll(this.#pattern)) {
      const [token] = match;
      yield { start, end: match.index, next: { token, id: this.#ids.get(token)! } };
      start = match.index + token.length;
    }
    yield { start, end: text.length };
  }
}

/**
 * Returns the id of a token.
 *
 * @throws {TokenizerError} `vocabulary` if the vocabulary does not contain it.
 */
export function requiredId(vocabulary: Vocabulary, token: string): number {
  const id = vocabulary.idOf(token);
  if (id !== undefined) return id;
  throw new TokenizerError("vocabulary", `the vocabulary must contain ${JSON.stringify(token)}`);
}

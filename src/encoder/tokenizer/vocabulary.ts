import { TokenizerError } from "./errors.ts";

/** Maximum length of a token in UTF-16 units. It bounds the candidates at each position of a text. */
const MAX_TOKEN_LENGTH = 128;
/** Maximum number of tokens. The largest multilingual vocabularies have half of it. */
const MAX_TOKENS = 500_000;
/** Maximum number of slots of one lookup: a vocabulary that needs more was made to collide. */
const MAX_PROBES = 500;
const LINE_FEED = 0x0a;

/** Hash of the empty string. Continue it with {@linkcode extendHash}. */
export const EMPTY_HASH = 0x811c9dc5 | 0;

/** Returns the hash of a string with one more UTF-16 unit (FNV-1a over units). */
export function extendHash(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/**
 * Tokens by their text, in a few typed arrays instead of one string per token: 250,000 tokens take 8 MB and load
 * in milliseconds. Lookups take text as UTF-16 units with its hash, which callers extend unit by unit, so that
 * trying all prefixes of a word allocates nothing.
 */
export class Vocabulary {
  /** Number of tokens; ids are below it. */
  readonly size: number;
  /** Length of the longest token in UTF-16 units. */
  readonly maxLength: number;
  /** Units of all tokens, one after the other. */
  readonly #units: Uint16Array;
  /** Start of each token in the units, then their end. */
  readonly #starts: Uint32Array;
  readonly #hashes: Int32Array;
  /** Open addressing with linear probing: ids + 1, and 0 for an empty slot. */
  readonly #slots: Int32Array;

  /**
   * Reads UTF-8 tokens separated by line feeds, in the order of their ids; a final line feed is optional.
   *
   * @throws {TokenizerError} `vocabulary` if a token is empty, too long or occurs twice, or for invalid UTF-8.
   */
  constructor(bytes: Uint8Array) {
    const text = decode(bytes);
    const end = text.endsWith("\n") ? text.length - 1 : text.length;
    this.size = countLines(text, end);
    if (this.size > MAX_TOKENS) throw invalid(`it must have at most ${MAX_TOKENS} tokens, got ${this.size}`);
    this.#units = new Uint16Array(end - this.size + 1);
    this.#starts = new Uint32Array(this.size + 1);
    this.#hashes = new Int32Array(this.size);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(this.size * 2)));
    this.maxLength = this.#splitLines(text, end);
    this.#hashTokens();
  }

  /** Sets the units, starts and hashes. Returns the length of the longest token. */
  #splitLines(text: string, end: number): number {
    // Local variables, since this loop over all of the vocabulary decides how long a model takes to load.
    const [units, starts, hashes] = [this.#units, this.#starts, this.#hashes];
    let maxLength = 0;
    let length = 0;
    let hash = EMPTY_HASH;
    let id = 0;
    for (let i = 0; i <= end; i++) {
      const unit = i === end ? LINE_FEED : text.charCodeAt(i);
      if (unit !== LINE_FEED) {
        units[length++] = unit;
        hash = extendHash(hash, unit);
        continue;
      }
      const tokenLength = length - starts[id]!;
      if (tokenLength === 0) throw invalid(`token ${id} must not be empty`);
      if (tokenLength > MAX_TOKEN_LENGTH) {
        throw invalid(`token ${id} must have at most ${MAX_TOKEN_LENGTH} UTF-16 units, got ${tokenLength}`);
      }
      if (tokenLength > maxLength) maxLength = tokenLength;
      hashes[id] = hash;
      starts[++id] = length;
      hash = EMPTY_HASH;
    }
    return maxLength;
  }

  #hashTokens(): void {
    const [slots, hashes] = [this.#slots, this.#hashes];
    const mask = slots.length - 1;
    for (let id = 0; id < hashes.length; id++) {
      const hash = hashes[id]!;
      let slot = mix(hash) & mask;
      for (let probes = 0; slots[slot] !== 0; probes++) {
        const other = slots[slot]! - 1;
        if (
          hashes[other] === hash && this.#equals(other, this.#units, this.#starts[id]!, this.#starts[id + 1]!)
        ) {
          throw invalid(`tokens ${other} and ${id} must differ`);
        }
        if (probes === MAX_PROBES) throw invalid(`token ${id} must not share its hash with many others`);
        slot = (slot + 1) & mask;
      }
      slots[slot] = id + 1;
    }
  }

  /**
   * Returns the id of the token with the given text, or -1.
   *
   * @param units UTF-16 units, of which the text is the range from `start` to before `end`.
   * @param hash Hash of the text.
   */
  find(units: Uint16Array, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = mix(hash) & mask;; slot = (slot + 1) & mask) {
      const id = this.#slots[slot]! - 1;
      if (id < 0) return -1;
      if (this.#hashes[id] === hash && this.#equals(id, units, start, end)) return id;
    }
  }

  /** Returns the id of a token, or undefined. */
  idOf(token: string): number | undefined {
    const units = Uint16Array.from({ length: token.length }, (_, i) => token.charCodeAt(i));
    const id = this.find(units, 0, units.length, units.reduce(extendHash, EMPTY_HASH));
    return id < 0 ? undefined : id;
  }

  #equals(id: number, units: Uint16Array, start: number, end: number): boolean {
    const tokenStart = this.#starts[id]!;
    if (this.#starts[id + 1]! - tokenStart !== end - start) return false;
    for (let i = start, j = tokenStart; i < end; i++, j++) {
      if (units[i] !== this.#units[j]) return false;
    }
    return true;
  }
}

/** Spreads the bits of a hash: the low bits of FNV-1a depend on the low bits of the units only. */
function mix(hash: number): number {
  return hash ^ (hash >>> 15);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw invalid("it must be UTF-8", { cause });
  }
}

function countLines(text: string, end: number): number {
  let lines = 1;
  for (let i = text.indexOf("\n"); i >= 0 && i < end; i = text.indexOf("\n", i + 1)) lines++;
  return lines;
}

function invalid(requirement: string, options?: ErrorOptions): TokenizerError {
  return new TokenizerError("vocabulary", `the vocabulary is invalid: ${requirement}`, options);
}

/** Minimum length of a word in the filter, in UTF-16 code units. Most shorter words are one token. */
export const MIN_WORD_CHARS = 4;
/** Number of bits that a word sets. */
const HASHES = 5;

/** Sets the bits of a word in a Bloom filter. */
export function addWord(filter: Uint8Array, word: string): void {
  const hashes = hashesOf(word);
  for (let n = 0; n < HASHES; n++) {
    const bit = bitOf(hashes, n, filter);
    filter[bit >> 3]! |= 1 << (bit & 7);
  }
}

/**
 * Whether a Bloom filter has a word. With 8 bits per word, one in 50 of the words that it does not have is taken for
 * one that it has.
 */
export function hasWord(filter: Uint8Array, word: string): boolean {
  const hashes = hashesOf(word);
  for (let n = 0; n < HASHES; n++) {
    const bit = bitOf(hashes, n, filter);
    if ((filter[bit >> 3]! & 1 << (bit & 7)) === 0) return false;
  }
  return true;
}

interface Hashes {
  readonly first: number;
  readonly second: number;
}

function hashesOf(word: string): Hashes {
  let first = 0x811c9dc5;
  let second = 0;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second, 31) + code | 0;
  }
  return { first, second: Math.imul(second ^ second >>> 15, 0x85ebca6b) | 1 };
}

/** Combines two hashes to any number (Kirsch and Mitzenmacher, "Less Hashing, Same Performance", 2006). */
function bitOf({ first, second }: Hashes, n: number, filter: Uint8Array): number {
  return (first + Math.imul(n, second) >>> 0) % (filter.length * 8);
}

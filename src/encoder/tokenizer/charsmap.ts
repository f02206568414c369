import { TokenizerError } from "./errors.ts";

/** Maximum size in bytes of the replacement of one character; NFKC needs 33. */
const MAX_REPLACEMENT_BYTES = 255;
/** Size in bytes from which on a grapheme cluster is replaced character by character. */
const MIN_SPLIT_CLUSTER_BYTES = 6;

/** Marks that start a grapheme cluster (Unicode Standard Annex 29, exceptions of SpacingMark). */
const SEPARATE_MARKS = String
  .raw`[\u102b\u102c\u1038\u1062-\u1064\u1067-\u106d\u1083\u1087-\u108c\u108f\u109a-\u109c\u1a61\u1a63\u1a64\uaa7b\uaa7d\u{11720}\u{11721}]`;
/** Marks of Unicode 17, which the runtime (Unicode 16) does not know yet. */
const NEW_MARKS = String
  .raw`[\u1acf-\u1add\u1ae0-\u1aeb\u{10efa}\u{10efb}\u{11b60}-\u{11b67}\u{1e6e3}\u{1e6e6}\u{1e6ee}\u{1e6ef}\u{1e6f5}]`;
/** Characters that continue a cluster (Extend, ZWJ, SpacingMark). */
const EXTEND = String
  .raw`[[[\p{M}${NEW_MARKS}]--${SEPARATE_MARKS}]\u200c\u200d\u0e33\u0eb3\uff9e\uff9f\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]`;
/** Characters that start a cluster and join the next character (Prepend). */
const PREPEND = String.raw`[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\u{110bd}\u{110cd}]`;
const CONTROL = String
  .raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2065\ufff0-\ufff8\u{e0000}-\u{e001f}\u{e0080}-\u{e00ff}\u{e01f0}-\u{e0fff}]`;
/** A cluster of several characters, of the kinds that fit into five bytes. */
const CLUSTER = new RegExp(
  String.raw`\r\n|${PREPEND}+(?!${CONTROL}).${EXTEND}*|(?:${EXTEND}|(?!${CONTROL}).)${EXTEND}+`,
  "gsv",
);
const MAY_HAVE_CLUSTER = new RegExp(String.raw`\r\n|${PREPEND}|${EXTEND}`, "v");

/**
 * Character map of SentencePiece, such as `nmt_nfkc`: a trie (the double array of Darts) from UTF-8 to the
 * offsets of replacements, which end with a zero byte.
 *
 * The lookups are those of the Rust crates `tokenizers` and `spm_precompiled`: a grapheme cluster of less than
 * six bytes is replaced by the entry of its *shortest* prefix, otherwise each character on its own.
 */
export class Charsmap {
  readonly #trie: Uint32Array;
  readonly #replacements: Uint8Array;
  readonly #decoded = new Map<number, string>();
  readonly #bytes = new Uint8Array(MIN_SPLIT_CLUSTER_BYTES);
  /** Matches texts without any character that may change. */
  readonly #unchanged: RegExp;

  /**
   * @param bytes u32 LE size of the trie in bytes, the trie, the replacements. Empty for a map without entries.
   * @throws {TokenizerError} `vocabulary` if the map is damaged.
   */
  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const trieBytes = bytes.length < 4 ? 0 : view.getUint32(0, true);
    if (trieBytes % 4 !== 0 || trieBytes > Math.max(0, bytes.length - 4)) {
      throw invalid(`have a trie within its ${bytes.length} bytes, got ${trieBytes}`);
    }
    this.#trie = Uint32Array.from({ length: trieBytes / 4 }, (_, i) => view.getUint32(4 + 4 * i, true));
    this.#replacements = bytes.slice(4 + trieBytes);
    checkReplacements(this.#replacements);
    const isPrintableAsciiUnchanged = Array.from(
      { length: 0x7f - 0x20 },
      (_, i) => String.fromCharCode(0x20 + i),
    )
      .every((character) => this.#replacementOf(character) === undefined);
    this.#unchanged = isPrintableAsciiUnchanged ? /^[ -~]*$/ : /^$/;
  }

  /** Replaces the characters of a text. */
  normalize(text: string): string {
    if (this.#unchanged.test(text) || this.#trie.length === 0) return text;
    if (!MAY_HAVE_CLUSTER.test(text)) return this.#normalizeCharacters(text);
    let normalized = "";
    let end = 0;
    for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
      normalized += this.#normalizeCharacters(text.slice(end, index));
      normalized += this.#replacementOf(cluster) ?? this.#normalizeCharacters(cluster);
      end = index + cluster.length;
    }
    return normalized + this.#normalizeCharacters(text.slice(end));
  }

  #normalizeCharacters(text: string): string {
    let normalized = "";
    for (const character of text) normalized += this.#replacementOf(character) ?? character;
    return normalized;
  }

  /** Returns the replacement of a character or cluster, or undefined. */
  #replacementOf(cluster: string): string | undefined {
    // A cluster that does not fit has six bytes or more.
    const { read, written } = new TextEncoder().encodeInto(cluster, this.#bytes);
    if (read < cluster.length || written >= MIN_SPLIT_CLUSTER_BYTES) return undefined;
    let node = offsetOf(this.#trie[0] ?? 0);
    for (let i = 0; i < written; i++) {
      const byte = this.#bytes[i]!;
      node ^= byte;
      const unit = this.#trie[node] ?? 0;
      if (byte === 0 || labelOf(unit) !== byte) return undefined;
      node ^= offsetOf(unit);
      if (hasLeaf(unit)) return this.#replacementAt(valueOf(this.#trie[node] ?? 0));
    }
    return undefined;
  }

  #replacementAt(offset: number): string {
    let replacement = this.#decoded.get(offset);
    if (replacement === undefined) {
      const end = this.#replacements.indexOf(0, offset);
      replacement = new TextDecoder().decode(
        this.#replacements.subarray(offset, end < 0 ? this.#replacements.length : end),
      );
      this.#decoded.set(offset, replacement);
    }
    return replacement;
  }
}

// Layout of a unit of the double array, https://github.com/s-yata/darts-clone.

function hasLeaf(unit: number): boolean {
  return (unit >>> 8 & 1) === 1;
}

function valueOf(unit: number): number {
  return unit & 0x7fffffff;
}

function labelOf(unit: number): number {
  return (unit & 0x800000ff) >>> 0;
}

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6);
}

/** Long replacements would let a small text grow beyond memory. */
function checkReplacements(replacements: Uint8Array): void {
  let start = 0;
  for (let end = 0; end <= replacements.length; end++) {
    if (end < replacements.length && replacements[end] !== 0) continue;
    if (end - start > MAX_REPLACEMENT_BYTES) {
      throw invalid(`have replacements of at most ${MAX_REPLACEMENT_BYTES} bytes, got ${end - start}`);
    }
    start = end + 1;
  }
}

function invalid(requirement: string): TokenizerError {
  return new TokenizerError("vocabulary", `the charsmap of the vocabulary must ${requirement}`);
}

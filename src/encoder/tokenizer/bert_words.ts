import { CharacterClass, characterClass } from "./unicode_classes.ts";

/** Maximum number of code points of a word that can be split into subwords. */
export const MAX_WORD_LENGTH = 100;
/** Maximum number of UTF-16 units that are normalized at a time. */
const MAX_RUN_LENGTH = 256;

/** Options of {@linkcode BertWords}. */
export interface BertWordsOptions {
  readonly lowercase: boolean;
  /** Whether to decompose characters and remove nonspacing marks. */
  readonly stripAccents: boolean;
  /** Whether each Chinese character is a word. */
  readonly splitChinese: boolean;
}

/**
 * Called for each word, which is in {@linkcode BertWords.units}.
 *
 * @param end End of the word in the units; 0 if the word exceeds {@linkcode MAX_WORD_LENGTH}.
 * @returns Whether to continue.
 */
export type OnWord = (end: number) => boolean;

const asciiClasses = Uint8Array.from({ length: 0x80 }, (_, unit) => characterClass(unit));

/**
 * Normalizes a text and splits it into words as BERT does (`BasicTokenizer` in google-research/bert): control
 * characters are removed, accents stripped and letters lowercased; words end at white space, punctuation and
 * Chinese characters, of which the latter two are words too.
 *
 * It reads one code point at a time, so that the caller can stop after any word.
 */
export class BertWords {
  /** Start of a word in the units. */
  static readonly START = 2;
  /** The word, from {@linkcode BertWords.START} on. The caller may overwrite it, and the units before it. */
  readonly units: Uint16Array = new Uint16Array(BertWords.START + 2 * MAX_WORD_LENGTH);
  readonly #lowercase: boolean;
  readonly #stripAccents: boolean;
  readonly #splitChinese: boolean;
  #end = BertWords.START;
  #codePoints = 0;

  constructor({ lowercase, stripAccents, splitChinese }: BertWordsOptions) {
    this.#lowercase = lowercase;
    this.#stripAccents = stripAccents;
    this.#splitChinese = splitChinese;
  }

  /**
   * Splits the range of a text from `start` to before `end`.
   *
   * @returns Whether the end of the range was reached.
   */
  split(text: string, { start, end }: { start: number; end: number }, onWord: OnWord): boolean {
    this.#reset();
    for (let i = start; i < end;) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80) {
        i++;
        const isUpperCase = this.#lowercase && unit >= 0x41 && unit <= 0x5a;
        if (!this.#add(isUpperCase ? unit + 0x20 : unit, asciiClasses[unit]!, onWord)) return false;
        continue;
      }
      const runEnd = endOfRun(text, i, end);
      const run = this.#normalize(text.slice(i, runEnd));
      i = runEnd;
      for (let j = 0; j < run.length;) {
        const codePoint = run.codePointAt(j)!;
        j += codePoint > 0xffff ? 2 : 1;
        if (!this.#add(codePoint, characterClass(codePoint), onWord)) return false;
      }
    }
    return this.#finishWord(onWord);
  }

  /** Normalizes characters outside of ASCII. */
  #normalize(run: string): string {
    const decomposed = this.#stripAccents ? run.normalize("NFD") : run;
    // The reference lowercases character by character, without the rule for a sigma at the end of a word.
    return this.#lowercase ? decomposed.replaceAll("Σ", "σ").toLowerCase() : decomposed;
  }

  #add(codePoint: number, characterClass: number, onWord: OnWord): boolean {
    switch (characterClass) {
      case CharacterClass.control:
        return true;
      case CharacterClass.mark:
        if (!this.#stripAccents) this.#append(codePoint);
        return true;
      case CharacterClass.space:
        return this.#finishWord(onWord);
      case CharacterClass.chinese:
        if (this.#splitChinese) return this.#addWord(codePoint, onWord);
        break;
      case CharacterClass.punctuation:
        return this.#addWord(codePoint, onWord);
    }
    this.#append(codePoint);
    return true;
  }

  #append(codePoint: number): void {
    if (this.#codePoints++ >= MAX_WORD_LENGTH) return;
    if (codePoint > 0xffff) {
      this.units[this.#end++] = 0xd800 + ((codePoint - 0x10000) >> 10);
      this.units[this.#end++] = 0xdc00 + (codePoint & 0x3ff);
    } else {
      this.units[this.#end++] = codePoint;
    }
  }

  /** Adds a word of one character. */
  #addWord(codePoint: number, onWord: OnWord): boolean {
    if (!this.#finishWord(onWord)) return false;
    this.#append(codePoint);
    return this.#finishWord(onWord);
  }

  #finishWord(onWord: OnWord): boolean {
    if (this.#codePoints === 0) return true;
    const end = this.#codePoints > MAX_WORD_LENGTH ? 0 : this.#end;
    this.#reset();
    return onWord(end);
  }

  #reset(): void {
    this.#end = BertWords.START;
    this.#codePoints = 0;
  }
}

/** Returns the end of a run of characters outside of ASCII, which normalization can treat on their own. */
function endOfRun(text: string, start: number, end: number): number {
  const limit = Math.min(end, start + MAX_RUN_LENGTH);
  let i = start + 1;
  while (i < limit && text.charCodeAt(i) >= 0x80) i++;
  const isInsidePair = i < end && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800 &&
    (text.charCodeAt(i) & 0xfc00) === 0xdc00;
  return isInsidePair ? i + 1 : i;
}

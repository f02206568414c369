/** Characters of scripts without spaces between words. */
const IDEOGRAPH =
  /[\u2e80-\u303f\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\uff00-\uffef]/u;

/** Joins two lines of a sentence: without the hyphen of a divided word, and without a space in scripts that have none. */
export function joinLines(text: string, next: string): string {
  if (isHyphenated(text, next)) return text.slice(0, -1) + next;
  return text + (isIdeograph(text.at(-1)) && isIdeograph(next[0]) ? "" : " ") + next;
}

/** Whether a character belongs to a script without spaces between words. */
export function isIdeograph(char: string | undefined): boolean {
  return char !== undefined && IDEOGRAPH.test(char);
}

/**
 * Whether a word continues on the next line: a soft hyphen, or letters and a hyphen before a lower-case letter.
 */
export function isHyphenated(text: string, next: string): boolean {
  return text.endsWith("\u00ad") || (/\p{L}\p{Ll}[-\u2010]$/u.test(text.slice(-4)) && /^\p{Ll}/u.test(next));
}

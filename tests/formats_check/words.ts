/** Numbers of words of two texts. */
export interface Overlap {
  /** Words in the reference. */
  readonly expected: number;
  /** Words in the extracted text. */
  readonly extracted: number;
  /** Words in both, each as often as in the text that has it less often. */
  readonly common: number;
}

/**
 * Compares two texts as bags of words: the order of columns and tables differs between tools, and does not matter
 * for a search.
 */
export function compareWords(reference: string, extracted: string): Overlap {
  const expected = countWords(reference);
  const actual = countWords(extracted);
  let common = 0;
  for (const [word, count] of expected) common += Math.min(count, actual.get(word) ?? 0);
  return { expected: sum(expected), extracted: sum(actual), common };
}

/** Share of the reference that was extracted. */
export function recall({ expected, common }: Overlap): number {
  return expected === 0 ? 1 : common / expected;
}

/** Share of the extracted text that is in the reference. */
export function precision({ extracted, common }: Overlap): number {
  return extracted === 0 ? 1 : common / extracted;
}

/** Returns the words that one text has more often than another, the most frequent first. */
export function surplusWords(text: string, other: string, max: number): string[] {
  const others = countWords(other);
  return [...countWords(text)]
    .map(([word, count]) => [word, count - (others.get(word) ?? 0)] as const)
    .filter(([, surplus]) => surplus > 0)
    .sort((a, b) => b[1] - a[1])
    .slice(0, max)
    .map(([word, surplus]) => `${word}×${surplus}`);
}

/** Words of a text, or single characters of scripts without spaces. */
const WORD = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]|[\p{L}\p{N}]+/gu;

function countWords(text: string): Map<string, number> {
  const plain = text
    .normalize("NFKC")
    .replace(/\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)/g, "]") // Targets of Markdown links.
    .replace(/\p{Cf}/gu, "")
    .replace(/(\p{L})[-\u2010]\n\s*(?=\p{Ll})/gu, "$1");
  const counts = new Map<string, number>();
  for (const [word] of plain.toLowerCase().matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function sum(counts: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}

/** Maximum number of lines to compare: the message is a hint, and other writes wait for it. */
const MAX_LINES = 20_000;
/** Number of UTF-16 code units of a line that are compared. */
const MAX_LINE_CHARS = 200;
/** Minimum similarity of a line that may be meant, from 0 to 1. */
const MIN_SIMILARITY = 0.5;

/**
 * Returns the line that shares most character pairs with `wanted` (Dice's coefficient), ignoring case and white
 * space.
 *
 * @returns Undefined if no line is similar. Lines count from 1.
 */
export function closestLine(text: string, wanted: string): { line: number; text: string } | undefined {
  const pairs = pairCounts(wanted);
  let best: { line: number; text: string } | undefined;
  let bestSimilarity = MIN_SIMILARITY;
  let start = 0;
  for (let line = 1; line <= MAX_LINES && start <= text.length; line++) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const candidate = text.slice(start, Math.min(end, start + MAX_LINE_CHARS));
    const similarity = similarityTo(pairs, candidate);
    if (similarity > bestSimilarity) {
      best = { line, text: candidate.trim() };
      bestSimilarity = similarity;
    }
    start = end + 1;
  }
  return best;
}

interface PairCounts {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

function pairCounts(line: string): PairCounts {
  const counts = new Map<string, number>();
  const letters = comparable(line);
  for (let i = 1; i < letters.length; i++) {
    const pair = letters.slice(i - 1, i + 1);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { counts, total: Math.max(0, letters.length - 1) };
}

function similarityTo(wanted: PairCounts, line: string): number {
  const { counts, total } = pairCounts(line);
  if (total === 0 || wanted.total === 0) return 0;
  let shared = 0;
  for (const [pair, count] of counts) shared += Math.min(count, wanted.counts.get(pair) ?? 0);
  return 2 * shared / (total + wanted.total);
}

function comparable(line: string): string {
  return line.slice(0, MAX_LINE_CHARS).toLowerCase().replace(/\s+/g, "");
}

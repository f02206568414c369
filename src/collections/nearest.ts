/**
 * The known name that a mistyped one most likely meant.
 *
 * The distance is Damerau–Levenshtein in its restricted form (optimal string alignment): insertions, deletions,
 * replacements and swaps of neighbours each cost 1. A third of the letters may be wrong, at least one and at most
 * three; beyond that a suggestion would be a guess.
 *
 * @param name What was typed.
 * @param known Candidates, best first: the earliest wins a tie.
 * @returns A candidate, or null when none is near.
 */
export function nearest(name: string, known: readonly string[]): string | null {
  const typed = [...name.trim().toLowerCase()];
  let best: string | null = null;
  let bestDistance = Infinity;
  for (const candidate of known) {
    const letters = [...candidate];
    const allowed = Math.min(3, Math.max(1, Math.floor(letters.length / 3)));
    // The lengths alone already cost this much; it also keeps a hostile, very long name from costing anything.
    if (Math.abs(letters.length - typed.length) > allowed) continue;
    const cost = distance(typed, letters);
    if (cost <= allowed && cost < bestDistance) [best, bestDistance] = [candidate, cost];
  }
  return best;
}

function distance(a: readonly string[], b: readonly string[]): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      }
      row.push(cost);
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}

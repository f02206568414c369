import type { TextRun } from "./page.ts";

/** Number of different heights at the top and at the bottom of a page that are searched. */
const EDGE_LINES = 3;
/** Number of pages on which a line must repeat. */
const MIN_REPEATS = 3;
/** Maximum distance in pages between two repetitions: left and right pages differ, and chapters start without. */
const MAX_DISTANCE = 6;
/** Tolerance of heights, in points. */
const HEIGHT_STEP = 3;
/** Maximum size of a running line, relative to the median of its page. */
const MAX_SIZE = 1.25;
/** Minimum distance from the text of the page, relative to the size, of a line with words and another number. */
const MIN_GAP = 1.5;
/** Share of a page's height, from the edge, in which running lines are. */
const EDGE_SHARE = 0.16;

/** Maximum number of numbers in a running line. More are the data of a table. */
const MAX_NUMBERS = 3;

/** A line near the edge of a page. */
interface EdgeLine {
  readonly key: string;
  readonly runs: readonly TextRun[];
}

/**
 * Removes running headers, footers and page numbers: lines that repeat at the same height near the edge of several
 * pages, with other numbers at most.
 *
 * @param pages Runs of consecutive pages.
 */
export function withoutRunningLines(pages: readonly (readonly TextRun[])[]): (readonly TextRun[])[] {
  const edges = pages.map(edgeLines);
  const lastSeen = new Map<string, { page: number; pages: number[] }[]>();
  edges.forEach((lines, page) => {
    for (const { key } of lines) {
      const groups = lastSeen.get(key) ?? [];
      const group = groups.at(-1);
      if (group && page - group.page <= MAX_DISTANCE) {
        if (group.page !== page) group.pages.push(page);
        group.page = page;
      } else groups.push({ page, pages: [page] });
      lastSeen.set(key, groups);
    }
  });
  const running = new Set<string>();
  for (const [key, groups] of lastSeen) {
    for (const { pages } of groups) {
      if (pages.length >= MIN_REPEATS) { for (const page of pages) running.add(`${page} ${key}`); }
    }
  }
  return pages.map((runs, page) => {
    const removed = new Set(
      edges[page]!.flatMap((line) => running.has(`${page} ${line.key}`) ? line.runs : []),
    );
    return removed.size === 0 || removed.size === runs.length
      ? runs
      : runs.filter((run) => !removed.has(run));
  });
}

/** Returns the first and last lines of a page, from the edge inwards. */
function edgeLines(runs: readonly TextRun[]): EdgeLine[] {
  if (runs.length === 0) return [];
  const heights = [...new Set(runs.map(({ y }) => Math.round(y)))].sort((a, b) => b - a);
  const top = heights[0]!;
  const bottom = heights.at(-1)!;
  const depth = (top - bottom) * EDGE_SHARE;
  const edge = [
    ...heights.slice(0, EDGE_LINES).filter((y) => y > top - depth - 1),
    ...heights.slice(-EDGE_LINES).filter((y) => y < bottom + depth + 1),
  ];
  const body = medianSize(runs);
  return [...new Set(edge)].flatMap((height) => {
    const line = runs.filter(({ y }) => Math.round(y) === height);
    const key = pattern(line.map((run) => run.text).join(" "));
    const size = Math.max(...line.map((run) => run.size));
    const at = heights.indexOf(height);
    const gap = Math.min(height - (heights[at + 1] ?? -Infinity), (heights[at - 1] ?? Infinity) - height);
    // A heading such as "Exercise 3" may be at the same height of each page: it is larger than the body, or close to it.
    const isText = size > body * MAX_SIZE || (/#/.test(key) && /\p{L}/u.test(key) && gap < size * MIN_GAP);
    const isData = key.split("#").length > MAX_NUMBERS + 1;
    return isText || isData ? [] : [{ key: `${Math.round(height / HEIGHT_STEP)} ${key}`, runs: line }];
  });
}

function medianSize(runs: readonly TextRun[]): number {
  const sizes = runs.map(({ size }) => size).sort((a, b) => a - b);
  return sizes[sizes.length >> 1]!;
}

/** A text without what changes from page to page: Arabic and Roman numbers. */
function pattern(text: string): string {
  return text.toLowerCase().replace(/\d+/g, "#").replace(/\b[ivxlc]+\b/g, "#").replace(/\s+/g, "").slice(
    0,
    200,
  );
}

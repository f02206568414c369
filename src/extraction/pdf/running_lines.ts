import type { TextRun } from "./page.ts";

/** Number of different heights at the top and at the bottom of a page that are searched. */
const EDGE_LINES = 3;
/** Number of pages on which a line must repeat. */
const MIN_REPEATS = 3;
/** Share of the pages on which a large line must repeat: the same heading may be on some. */
const MIN_LARGE_SHARE = 0.6;
/** Maximum distance in pages between two repetitions: left and right pages differ, and chapters start without. */
const MAX_DISTANCE = 6;
/** Tolerance of heights, in points. */
const HEIGHT_STEP = 3;
/** Maximum size of a running line, relative to the median of its page. */
const MAX_SIZE = 1.25;
/** Minimum distance from the text of the page, relative to the size, of a line with words and another number. */
const MIN_GAP = 1.5;
/** Characters of a line that are compared. */
const MAX_KEY_CHARS = 200;
/** A page number with its word, or the address of a printed web page. */
const PAGE_NUMBER = /(?:page|seite|página|pagina|strona|страница|стр\.|頁|页|ページ)#|https?:\/\//;
/** Share of a page's height, from the edge, in which running lines are. */
const EDGE_SHARE = 0.16;

/** Maximum number of numbers in a running line. More are the data of a table. */
const MAX_NUMBERS = 3;

/** A line near the edge of a page. */
interface EdgeLine {
  readonly key: string;
  readonly runs: readonly TextRun[];
  /** Whether it is larger than the text, like a heading. */
  readonly isLarge: boolean;
}

/**
 * Removes running headers, footers and page numbers: lines that repeat at the same height near the edge of several
 * pages, with other numbers at most.
 *
 * @param pages Runs of consecutive pages.
 */
export function withoutRunningLines(pages: readonly (readonly TextRun[])[]): (readonly TextRun[])[] {
  const edges = pages.map(edgeLines);
  const lastSeen = new Map<string, { page: number; pages: number[]; isLarge: boolean }[]>();
  edges.forEach((lines, page) => {
    for (const { key, isLarge } of lines) {
      const groups = lastSeen.get(key) ?? [];
      const group = groups.at(-1);
      if (group && page - group.page <= MAX_DISTANCE) {
        if (group.page !== page) group.pages.push(page);
        group.page = page;
      } else groups.push({ page, pages: [page], isLarge });
      lastSeen.set(key, groups);
    }
  });
  const running = new Set<string>();
  for (const [key, groups] of lastSeen) {
    for (const group of groups) {
      const minPages = group.isLarge ? Math.max(MIN_REPEATS, pages.length * MIN_LARGE_SHARE) : MIN_REPEATS;
      if (group.pages.length < minPages) continue;
      for (const page of group.pages) running.add(`${page} ${key}`);
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
    const text = line.map((run) => run.text).join(" ");
    const size = Math.max(...line.map((run) => run.size));
    const at = heights.indexOf(height);
    const gap = Math.min(height - (heights[at + 1] ?? -Infinity), (heights[at - 1] ?? Infinity) - height);
    const numbered = pattern(text);
    const isLarge = size > body * MAX_SIZE && !PAGE_NUMBER.test(numbered);
    // A heading such as "Exercise 3" may be at the same height of each page: it is larger than the body, or close to it.
    const key = isLarge ? text.slice(0, MAX_KEY_CHARS) : numbered;
    const isText = !isLarge && /#/.test(key) && /\p{L}/u.test(key) && gap < size * MIN_GAP;
    const isData = !isLarge && key.split("#").length > MAX_NUMBERS + 1 && !PAGE_NUMBER.test(key);
    return isText || isData
      ? []
      : [{ key: `${Math.round(height / HEIGHT_STEP)} ${key}`, runs: line, isLarge }];
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

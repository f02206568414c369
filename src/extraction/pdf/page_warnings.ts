/** Numbers, from 1, of the pages that lack text. */
export interface PageIssues {
  /** Pages that show a picture. */
  readonly scanned: number[];
  /** Pages whose fonts have no map to characters. */
  readonly unreadable: number[];
  /** Damaged pages. */
  readonly failed: number[];
}

/** Maximum number of ranges in a warning. */
const MAX_RANGES = 12;

/** Returns a sentence for each kind of page that lacks text. */
export function pageWarnings({ scanned, unreadable, failed }: PageIssues): string[] {
  return [
    scanned.length > 0 &&
    `${verb(scanned, "has", "have")} no text: ${
      scanned.length === 1 ? "it looks" : "they look"
    } like a scan. Run OCR on the file and upload the result to find what they say.`,
    unreadable.length > 0 &&
    `The text of ${lowerPages(unreadable)} was left out: its fonts have no map to characters.`,
    failed.length > 0 && `${verb(failed, "is", "are")} damaged and could not be read.`,
  ].filter((sentence) => sentence !== false);
}

function verb(pages: readonly number[], one: string, many: string): string {
  const text = lowerPages(pages);
  return `${text[0]!.toUpperCase()}${text.slice(1)} ${pages.length === 1 ? one : many}`;
}

/** Names pages: "page 3", "pages 3–9 and 12". */
function lowerPages(pages: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const page of pages) {
    const range = ranges.at(-1);
    if (range && range[1] === page - 1) range[1] = page;
    else ranges.push([page, page]);
  }
  const names = ranges.slice(0, MAX_RANGES).map(([first, last]) =>
    first === last ? `${first}` : `${first}–${last}`
  );
  if (ranges.length > MAX_RANGES) names.push("others");
  return `${pages.length === 1 ? "page" : "pages"} ${new Intl.ListFormat("en").format(names)}`;
}

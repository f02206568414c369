/** Numbers, from 1, of the pages that lack text. */
export interface PageIssues {
  /** Pages that show a picture. */
  readonly scanned: number[];
  /** Pages whose fonts have no map to characters. */
  readonly unreadable: number[];
  /** Pages with some text in such fonts. */
  readonly partial: number[];
  /** Damaged pages. */
  readonly failed: number[];
  /** Pages that would have been read by OCR, had there been time. */
  readonly skipped?: readonly number[];
}

/** Maximum number of ranges in a warning. */
const MAX_RANGES = 12;

/** Returns a sentence for each kind of page that lacks text. */
export function pageWarnings({ scanned, unreadable, partial, failed, skipped = [] }: PageIssues): string[] {
  return [
    scanned.length > 0 &&
    `${verb(scanned, "has", "have")} no text: ${
      scanned.length === 1 ? "it looks" : "they look"
    } like a scan. Run OCR on the file and upload the result to find what ${
      scanned.length === 1 ? "it says" : "they say"
    }.`,
    unreadable.length > 0 &&
    `The text of ${namePages(unreadable)} was left out: its fonts have no map to characters.`,
    partial.length > 0 &&
    `Some text of ${namePages(partial)} was left out: a font has no map to characters.`,
    skipped.length > 0 &&
    `The time for OCR was used up before ${namePages(skipped)}. KB_OCR_TIMEOUT sets it.`,
    failed.length > 0 && `${verb(failed, "is", "are")} damaged and could not be read.`,
  ].filter((sentence) => sentence !== false);
}

function verb(pages: readonly number[], one: string, many: string): string {
  const text = namePages(pages);
  return `${text[0]!.toUpperCase()}${text.slice(1)} ${pages.length === 1 ? one : many}`;
}

/** Names pages: "page 3", "pages 3–9 and 12". */
export function namePages(pages: readonly number[]): string {
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

/** Tells the line of an offset; offsets are asked for in ascending order, so that the text is read once. */
export class LineCounter {
  #offset = 0;
  #line = 1;

  constructor(readonly text: string) {}

  /** Line of `offset`, from 1. */
  lineAt(offset: number): number {
    this.#line += countNewlines(this.text, this.#offset, offset);
    this.#offset = offset;
    return this.#line;
  }
}

/** Line ends in `text.slice(start, end)`. */
export function countNewlines(text: string, start: number, end: number): number {
  let count = 0;
  // Not indexOf: on one endless line it would read to the end of the text for each chunk.
  for (let at = start; at < end; at++) if (text.charCodeAt(at) === 0x0a) count++;
  return count;
}

/** Page of `offset`, from 1, where `pageStarts` holds the offset of each page. */
export function pageAt(pageStarts: readonly number[], offset: number): number {
  let low = 0;
  let high = pageStarts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (pageStarts[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return Math.max(1, low);
}

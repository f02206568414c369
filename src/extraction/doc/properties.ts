import type { Piece } from "./pieces.ts";

/** Size of a page of formatting ([MS-DOC] §2.9.22 and §2.9.175). */
const PAGE_BYTES = 512;

/** A run of characters or paragraphs in the stream, with its modifications of properties. */
interface FormattedRun {
  readonly start: number;
  readonly end: number;
  /** Style of a paragraph. */
  readonly style: number;
  readonly properties: ReadonlyMap<number, number>;
}

/** Formatting of characters or paragraphs by their position in the stream `WordDocument`. */
export class Formatting {
  readonly #runs: FormattedRun[] = [];

  /**
   * Reads the pages of formatting.
   *
   * @param stream The stream `WordDocument`.
   * @param pages The array of page numbers in the table stream (PlcBteChpx or PlcBtePapx).
   * @param wanted Modifications that are kept.
   */
  constructor(
    stream: Uint8Array,
    pages: Uint8Array,
    { isParagraph, wanted }: { isParagraph: boolean; wanted: ReadonlySet<number> },
  ) {
    const view = new DataView(pages.buffer, pages.byteOffset, pages.byteLength);
    const count = Math.floor((pages.length - 4) / 8);
    for (let i = 0; i < count; i++) {
      const number = view.getUint32(4 * (count + 1) + 4 * i, true) & 0x3fffff;
      const page = stream.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES);
      if (page.length === PAGE_BYTES) this.#readPage(page, isParagraph, wanted);
    }
    this.#runs.sort((a, b) => a.start - b.start);
  }

  /** Returns the run at a position in the stream. */
  at(offset: number): FormattedRun | undefined {
    let low = 0;
    let high = this.#runs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#runs[middle]!.start <= offset) low = middle + 1;
      else high = middle;
    }
    const run = this.#runs[low - 1];
    return run && offset < run.end ? run : undefined;
  }

  #readPage(page: Uint8Array, isParagraph: boolean, wanted: ReadonlySet<number>): void {
    const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
    const count = page[PAGE_BYTES - 1]!;
    const entryBytes = isParagraph ? 13 : 1;
    if (4 * (count + 1) + entryBytes * count > PAGE_BYTES - 1) return;
    for (let i = 0; i < count; i++) {
      const at = 2 * page[4 * (count + 1) + entryBytes * i]!;
      const run = { start: view.getUint32(4 * i, true), end: view.getUint32(4 * (i + 1), true) };
      if (at === 0) {
        if (isParagraph) this.#runs.push({ ...run, style: 0, properties: NONE });
        continue;
      }
      let start = at + 1;
      let length = page[at]!;
      if (isParagraph) {
        // A length of zero is followed by the actual one.
        if (length === 0) length = 2 * (page[start++] ?? 0);
        else length = 2 * length - 1;
      }
      const style = isParagraph && start + 2 <= PAGE_BYTES ? view.getUint16(start, true) : 0;
      const modifications = page.subarray(start + (isParagraph ? 2 : 0), start + length);
      const properties = readModifications(modifications, wanted);
      if (isParagraph || properties.size > 0) this.#runs.push({ ...run, style, properties });
    }
  }
}

const NONE: ReadonlyMap<number, number> = new Map();

/** Reads modifications of properties (Prl, [MS-DOC] §2.9.212): those that are wanted, with their first bytes. */
function readModifications(bytes: Uint8Array, wanted: ReadonlySet<number>): ReadonlyMap<number, number> {
  let found: Map<number, number> | undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 3 <= bytes.length;) {
    const code = view.getUint16(at, true);
    at += 2;
    // The upper three bits are the size of the operand ([MS-DOC] §2.6.1).
    const kind = code >> 13;
    const size = kind === 6 ? variableSize(code, view, at) : [1, 1, 2, 4, 2, 2, 0, 3][kind]!;
    if (wanted.has(code) && at + size <= bytes.length) {
      const value = size === 1
        ? view.getUint8(at)
        : size === 2
        ? view.getUint16(at, true)
        : view.getUint32(at, true);
      (found ??= new Map()).set(code, value);
    }
    at += size;
  }
  return found ?? NONE;
}

function variableSize(code: number, view: DataView, at: number): number {
  // sprmTDefTable has a length of two bytes.
  if (code === 0xd608) return at + 2 <= view.byteLength ? view.getUint16(at, true) + 1 : 2;
  return view.getUint8(at) + 1;
}

/** Maps positions of the text to positions in the stream `WordDocument`, for ascending positions. */
export class PieceCursor {
  readonly #pieces: readonly Piece[];
  #index = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  /** Returns the position of a character in the stream; -1 if it is in no piece. */
  offsetOf(position: number): number {
    while (this.#index < this.#pieces.length && this.#pieces[this.#index]!.end <= position) this.#index++;
    while (this.#index > 0 && this.#pieces[this.#index - 1]!.end > position) this.#index--;
    const piece = this.#pieces[this.#index];
    return piece ? piece.offset + (position - piece.start) * piece.charBytes : -1;
  }
}

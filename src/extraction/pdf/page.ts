/**
 * A piece of text that a page shows in one line, without a gap as wide as a letter. Positions are in points in the
 * reading direction of the text: `x` grows along the line, `y` towards the previous line, whatever the rotation.
 */
export interface TextRun {
  /** In logical order, also for Arabic and Hebrew. */
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Height of the baseline. */
  readonly y: number;
  /** Size of the font as shown. */
  readonly size: number;
  readonly isBold: boolean;
  /** Whether all letters of the font have the same width. */
  readonly isMonospaced: boolean;
}

/** Text of a page, in the order in which the page draws it. */
export interface PdfPage {
  readonly runs: readonly TextRun[];
  /** Share of the characters whose font has no map to Unicode. */
  readonly unmappedShare: number;
  /** Whether a page without text shows something else: a scan, or letters drawn as shapes. */
  readonly isPicture: boolean;
}

/** An entry of the bookmarks. */
export interface Bookmark {
  readonly title: string;
  /** From 1. */
  readonly level: number;
  /** Index of its page, from 0. */
  readonly page: number;
}

/** An open PDF file, read by one of the parsers. */
export interface PdfReader extends AsyncDisposable {
  readonly pageCount: number;
  /** @throws If the page is damaged. */
  readPage(index: number): Promise<PdfPage>;
  /**
   * Draws a page as a gray image, for OCR.
   *
   * @returns The image as PGM (Netpbm's `P5`); undefined if this parser cannot draw.
   */
  drawPage(index: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Bookmarks in reading order. */
  bookmarks(): Promise<readonly Bookmark[]>;
  /** Entries of the information dictionary (ISO 32000-1, 14.3.3) by name. */
  properties(): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * A text item of PDF.js. `transform[4]` and `[5]` are its position, from the lower left corner of the page.
 */
export interface PageItem {
  /** Undefined for structure markers. */
  readonly str?: string;
  readonly hasEOL?: boolean;
  readonly transform?: readonly number[];
}

interface Line {
  text: string;
  /** Vertical position of the baseline. */
  y: number | undefined;
}

/** A larger distance between lines, relative to the median, starts a paragraph. */
const PARAGRAPH_PITCH = 1.3;

/**
 * Joins the items of a page to lines, inserts empty lines between paragraphs and removes end-of-line
 * hyphenation.
 */
export function pageText(items: readonly PageItem[]): string {
  const lines = toLines(items);
  const pitch = medianPitch(lines);
  let text = "";
  let previous: Line | undefined;
  for (const line of lines) {
    if (previous) {
      const drop = previous.y === undefined || line.y === undefined ? 0 : previous.y - line.y;
      const isParagraph = pitch > 0 && drop > pitch * PARAGRAPH_PITCH;
      if (!isParagraph && isHyphenated(text, line.text)) text = text.slice(0, -1);
      else text += isParagraph ? "\n\n" : "\n";
    }
    text += line.text;
    previous = line;
  }
  return text;
}

function toLines(items: readonly PageItem[]): Line[] {
  const lines: Line[] = [];
  let line: Line = { text: "", y: undefined };
  const endLine = () => {
    const text = line.text.replace(/[^\S\n]+/g, " ").trim();
    if (text !== "") lines.push({ text, y: line.y });
    line = { text: "", y: undefined };
  };
  for (const { str, hasEOL, transform } of items) {
    if (str === undefined) continue;
    if (line.y === undefined && str.trim() !== "") line.y = transform?.[5];
    line.text += str;
    if (hasEOL) endLine();
  }
  endLine();
  return lines;
}

/** Returns the median distance between lines, or 0 with fewer than 3 distances. */
function medianPitch(lines: readonly Line[]): number {
  const drops: number[] = [];
  for (let i = 1; i < lines.length; i++) {
    const drop = (lines[i - 1]!.y ?? 0) - (lines[i]!.y ?? 0);
    if (drop > 0) drops.push(drop);
  }
  drops.sort((a, b) => a - b);
  return drops.length < 3 ? 0 : drops[drops.length >> 1]!;
}

/**
 * Whether a word continues on the next line: a soft hyphen, or letters and a hyphen before a lower-case
 * letter.
 */
function isHyphenated(text: string, next: string): boolean {
  return text.endsWith("\u00ad") || (/\p{L}\p{Ll}[-\u2010]$/u.test(text.slice(-4)) && /^\p{Ll}/u.test(next));
}

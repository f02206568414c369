/** A run of text on a page, as PDF.js has it; `transform[4]` and `[5]` are its position, from the lower left. */
export interface PageItem {
  /** Missing in marks of structure. */
  readonly str?: string;
  readonly hasEOL?: boolean;
  readonly transform?: readonly number[];
}

interface Line {
  text: string;
  /** Height of its baseline. */
  y: number | undefined;
}

/**
 * The text of a page: its lines, an empty line where the distance to the next one says that a paragraph ends, and
 * words whole that were hyphenated at the end of a line.
 */
export function pageText(items: readonly PageItem[]): string {
  const lines = toLines(items);
  const pitch = medianPitch(lines);
  let text = "";
  let before: Line | undefined;
  for (const line of lines) {
    if (before) {
      const drop = before.y === undefined || line.y === undefined ? 0 : before.y - line.y;
      const isBreak = pitch > 0 && drop > pitch * 1.3;
      if (!isBreak && isHyphenated(text, line.text)) text = text.slice(0, -1);
      else text += isBreak ? "\n\n" : "\n";
    }
    text += line.text;
    before = line;
  }
  return text;
}

function toLines(items: readonly PageItem[]): Line[] {
  const lines: Line[] = [];
  let line: Line = { text: "", y: undefined };
  const close = () => {
    const text = line.text.replace(/[^\S\n]+/g, " ").trim();
    if (text !== "") lines.push({ text, y: line.y });
    line = { text: "", y: undefined };
  };
  for (const { str, hasEOL, transform } of items) {
    if (str === undefined) continue;
    if (line.y === undefined && str.trim() !== "") line.y = transform?.[5];
    line.text += str;
    if (hasEOL) close();
  }
  close();
  return lines;
}

/** The usual distance from one line to the next; 0 if there are too few lines to tell. */
function medianPitch(lines: readonly Line[]): number {
  const drops: number[] = [];
  for (let i = 1; i < lines.length; i++) {
    const drop = (lines[i - 1]!.y ?? 0) - (lines[i]!.y ?? 0);
    if (drop > 0) drops.push(drop);
  }
  drops.sort((a, b) => a - b);
  return drops.length < 3 ? 0 : drops[drops.length >> 1]!;
}

/** Whether a word goes on in the next line: letters and a hyphen, then a small letter. A soft hyphen always says so. */
function isHyphenated(text: string, next: string): boolean {
  return text.endsWith("\u00ad") || (/\p{L}\p{Ll}[-\u2010]$/u.test(text.slice(-4)) && /^\p{Ll}/u.test(next));
}

import type { Block } from "./blocks.ts";
import type { Bookmark } from "./page.ts";
import type { Line } from "./rows.ts";

/** Longer blocks are no headings, in lines and in characters. */
const MAX_HEADING_LINES = 3;
const MAX_HEADING_CHARS = 200;
/** Minimum size of a heading, relative to the body. */
const MIN_SIZE = 1.12;
const MAX_LEVEL = 6;
/** Minimum length of a title that is found inside of a longer heading. */
const MIN_CONTAINED_CHARS = 4;

/**
 * Levels of the headings of a document. Bookmarks name headings and their levels; other text in the style of such a
 * heading is one, too. Without bookmarks, text larger or bolder than the body is a heading, the largest of level 1.
 */
export class Headings {
  readonly #bookmarks = new Map<number, { key: string; level: number }[]>();
  /** Style → level of the bookmarks in that style. */
  readonly #styles = new Map<string, { size: number; level: number }>();
  readonly #sizes = new Map<number, number>();
  #bodySize = 0;

  constructor(bookmarks: readonly Bookmark[]) {
    for (const { title, level, page } of bookmarks) {
      const entries = this.#bookmarks.get(page) ?? [];
      const key = compareKey(title);
      if (key !== "") entries.push({ key, level: Math.min(level, MAX_LEVEL) });
      this.#bookmarks.set(page, entries);
    }
  }

  /** Size of the font of most text. */
  get bodySize(): number {
    return this.#bodySize;
  }

  /** Counts the fonts of further pages, and learns how their bookmarked headings look. */
  learn(pages: readonly { readonly index: number; readonly blocks: readonly Block[] }[]): void {
    for (const { blocks } of pages) {
      for (const block of blocks) {
        if (block.kind !== "text") continue;
        for (const { size, text } of block.lines) {
          const rounded = Math.round(size * 2) / 2;
          this.#sizes.set(rounded, (this.#sizes.get(rounded) ?? 0) + text.length);
        }
      }
    }
    let most = 0;
    for (const [size, chars] of this.#sizes) if (chars > most) [most, this.#bodySize] = [chars, size];
    for (const { index, blocks } of pages) {
      for (const block of blocks) {
        const level = this.#bookmarkLevel(block, index);
        if (level === undefined || block.kind !== "text") continue;
        const style = styleOf(block.lines[0]!);
        const known = this.#styles.get(style.key);
        if (!known || level < known.level) this.#styles.set(style.key, { size: style.size, level });
      }
    }
  }

  /** Returns the level of a block that is a heading. */
  levelOf(block: Block, page: number): number | undefined {
    if (block.kind !== "text" || !isShort(block.lines)) return undefined;
    const bookmarked = this.#bookmarkLevel(block, page);
    if (bookmarked !== undefined) return bookmarked;
    const { key, size, isBold } = styleOf(block.lines[0]!);
    if (!block.lines.every((line) => styleOf(line).key === key)) return undefined;
    const isLarge = size >= this.#bodySize * MIN_SIZE;
    if (!isLarge && !(isBold && size >= this.#bodySize * 0.95 && isStandalone(block.lines))) return undefined;
    if (/[,;]$/.test(block.lines.at(-1)!.text)) return undefined;
    const known = this.#styles.get(key);
    if (known) return known.level;
    return this.#levelOfSize(isLarge ? size : 0);
  }

  /** One level below the next larger style. */
  #levelOfSize(size: number): number {
    let level = 1;
    const larger = [...this.#styles.values()].filter((style) => style.size > size + 0.25);
    if (larger.length > 0) level = Math.max(...larger.map((style) => style.level)) + 1;
    return Math.min(level, MAX_LEVEL);
  }

  /** Makes the styles of headings levels of their own, the largest first. For documents without bookmarks. */
  rank(pages: readonly { readonly blocks: readonly Block[] }[]): void {
    if (this.#bookmarks.size > 0) return;
    const sizes = new Set<number>();
    for (const { blocks } of pages) {
      for (const block of blocks) {
        if (block.kind !== "text" || !isShort(block.lines)) continue;
        const { size } = styleOf(block.lines[0]!);
        if (size >= this.#bodySize * MIN_SIZE) sizes.add(size);
      }
    }
    const ranked = clusterSizes([...sizes].sort((a, b) => b - a));
    this.#styles.clear();
    for (const [size, level] of ranked) {
      for (const isBold of [true, false]) {
        this.#styles.set(styleKey(size, isBold), { size, level: Math.min(level, MAX_LEVEL) });
      }
    }
  }

  #bookmarkLevel(block: Block, page: number): number | undefined {
    const entries = this.#bookmarks.get(page);
    if (!entries || block.kind !== "text" || block.lines.length > MAX_HEADING_LINES) return undefined;
    const key = compareKey(block.lines.map(({ text }) => text).join(" "));
    if (key === "" || key.length > MAX_HEADING_CHARS) return undefined;
    return entries.find((entry) => isSameHeading(key, entry.key))?.level;
  }
}

/** Whether the text of a heading is that of a bookmark, one of them perhaps with its number. */
function isSameHeading(text: string, bookmark: string): boolean {
  if (text === bookmark) return true;
  const [short, long] = text.length < bookmark.length ? [text, bookmark] : [bookmark, text];
  return short.length >= MIN_CONTAINED_CHARS && long.endsWith(short) && long.length - short.length <= 14 &&
    /^(?:chapter|section|appendix|part|kapitel|abschnitt|anhang|chapitre|capítulo|annexe?)?[\dа-яa-zivxlc]{0,7}$/u
      .test(long.slice(0, -short.length));
}

function compareKey(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

function isShort(lines: readonly Line[]): boolean {
  if (lines.length > MAX_HEADING_LINES) return false;
  const text = lines.map((line) => line.text).join(" ");
  return text.length <= MAX_HEADING_CHARS && /\p{L}{2}|\p{Lo}/u.test(text);
}

/** Whether a block looks like a heading in the size of the body: one line that does not end like a sentence. */
function isStandalone(lines: readonly Line[]): boolean {
  const text = lines.map((line) => line.text).join(" ");
  return lines.length <= 2 && text.length <= 100 && !/[.!?:;,。]["”)]?$/.test(text) &&
    /^[\p{Lu}\p{Lo}\d]/u.test(text);
}

function styleOf({ size, isBold }: Line): { key: string; size: number; isBold: boolean } {
  const rounded = Math.round(size * 2) / 2;
  return { key: styleKey(rounded, isBold), size: rounded, isBold };
}

function styleKey(size: number, isBold: boolean): string {
  return `${size}${isBold ? "b" : ""}`;
}

/** Levels of sizes in descending order; sizes that hardly differ share one. */
function clusterSizes(sizes: readonly number[]): [size: number, level: number][] {
  let level = 0;
  let start = Infinity;
  return sizes.map((size) => {
    if (size < start * 0.94) {
      start = size;
      level++;
    }
    return [size, level];
  });
}

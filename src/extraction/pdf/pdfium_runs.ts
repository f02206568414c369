import type { TextRun } from "./page.ts";
import type { Pdfium } from "./pdfium_module.ts";
import { UNMAPPED_BASE } from "./unmapped.ts";

/** A wider gap between two characters, relative to the size of the font, ends a run. */
const MAX_GAP = 0.85;
/** A narrower gap between two characters is no space, unless PDFium says so. */
const MIN_SPACE = 0.16;
/** Distance of baselines, relative to the size of the font, from which a character is on another line. */
const MAX_SHIFT = 0.45;
/** `FPDF_FONT_FIXEDPITCH` (ISO 32000-1, table 123). */
const FIXED_PITCH = 1;
/** Weight of a bold font; 700 by the standard, but subset fonts often claim less. */
const BOLD_WEIGHT = 600;
const BOLD_NAME = /bold|black|heavy|demi|semibd|cmbx|cmssbx|sfbx|ecbx/i;
const MONOSPACED_NAME =
  /mono|courier|consol|typewriter|cmtt|cmsltt|sftt|ectt|lmtt|menlo|monaco|inconsol|fixed|lucidasanst|andale|source ?code|firacode|nimbusmon/i;
/** Right-to-left letters: Hebrew, Arabic, Syriac, Thaana, N'Ko and their presentation forms. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

const LAM = "\u0644";
/** Alef, alone or with madda, hamza or wasla. */
const ALEF = /[\u0622\u0623\u0625\u0627\u0671]$/;

/** Directions of text on the page, in quarter turns counterclockwise. */
type Direction = 0 | 1 | 2 | 3;

/** Runs of a page by their direction, and the number of characters without a map to Unicode. */
export interface PageText {
  readonly runs: TextRun[];
  readonly chars: number;
  readonly unmapped: number;
}

interface Font {
  readonly isBold: boolean;
  readonly isMonospaced: boolean;
}

/** Properties that the characters of one text object share. */
interface TextObject extends Font {
  readonly size: number;
  readonly direction: Direction;
  readonly y: number;
}

/** A run that is being read. */
interface OpenRun {
  text: string;
  left: number;
  right: number;
  /** Extent of the last character. */
  lastLeft: number;
  lastRight: number;
  y: number;
  size: number;
  direction: Direction;
  chars: number;
  bold: number;
  monospaced: number;
  isRightToLeft: boolean;
  /** Left end of the characters since the last right-to-left letter: of a Latin word inside of Arabic text. */
  foreignLeft: number;
}

/** Reads the characters of pages into runs. Reuses its scratch memory; fonts are kept for the whole document. */
export class RunReader {
  readonly #pdfium: Pdfium;
  /** 8 doubles. */
  readonly #scratch: number;
  readonly #fonts = new Map<number, Font>();
  #view: Float32Array | undefined;

  constructor(pdfium: Pdfium) {
    this.#pdfium = pdfium;
    this.#scratch = pdfium.functions.malloc(256);
  }

  /** Reads a text page of PDFium. */
  read(textPage: number): PageText {
    const { functions } = this.#pdfium;
    const count = functions.FPDFText_CountChars(textPage);
    const runs: { run: TextRun; direction: Direction }[] = [];
    const sizes = [0, 0, 0, 0];
    const objects = new Map<number, TextObject>();
    let run: OpenRun | undefined;
    let isSpaced = false;
    let isBroken = false;
    let chars = 0;
    let unmapped = 0;
    const close = () => {
      if (run) {
        sizes[run.direction]! += run.chars;
        runs.push({ run: toRun(run), direction: run.direction });
      }
      run = undefined;
      isSpaced = isBroken = false;
    };
    for (let index = 0; index < count; index++) {
      const code = functions.FPDFText_GetUnicode(textPage, index);
      if (code === 0x20 || code === 0xa0 || code === 0x09) {
        isSpaced = true;
        continue;
      }
      if (code === 0x0d || code === 0x0a) {
        isSpaced = isBroken = true;
        continue;
      }
      const handle = functions.FPDFText_GetTextObject(textPage, index);
      if (handle === 0) continue;
      let object = objects.get(handle);
      if (!object) objects.set(handle, object = this.#describe(textPage, index, handle));
      const { size, direction, y } = object;
      functions.FPDFText_GetLooseCharBox(textPage, index, this.#scratch);
      const box = this.#floats();
      // FS_RECTF: left, top, right, bottom.
      const left = direction === 0
        ? box[0]!
        : direction === 1
        ? box[3]!
        : direction === 2
        ? -box[2]!
        : -box[1]!;
      const right = direction === 0
        ? box[2]!
        : direction === 1
        ? box[1]!
        : direction === 2
        ? -box[0]!
        : -box[3]!;
      chars++;
      const isUnmapped = code === 0 || code === 0xffff || code === 0xfffd ||
        functions.FPDFText_HasUnicodeMapError(textPage, index) === 1;
      const char = isUnmapped ? String.fromCodePoint(UNMAPPED_BASE + (code & 0xffff)) : toChar(code);
      if (isUnmapped) unmapped++;
      if (run) {
        const isRightToLeft: boolean = run.isRightToLeft || RIGHT_TO_LEFT.test(char);
        const gap: number = Math.max(left - run.lastRight, run.lastLeft - right);
        const em = Math.max(size, run.size);
        const isShifted = Math.abs(y - run.y) > em * MAX_SHIFT;
        const isJump = isRightToLeft ? isBroken : gap > em * MAX_GAP || left < run.lastLeft - em * MAX_SHIFT;
        if (direction !== run.direction || isShifted || isJump) close();
        else if (isSpaced || spaceBefore(run, { left, right, char }) > em * MIN_SPACE) run.text += " ";
      }
      if (!run) {
        // deno-fmt-ignore
        run = {
          text: "", left, right, lastLeft: left, lastRight: right, y, size, direction, chars: 0, bold: 0,
          monospaced: 0, isRightToLeft: false, foreignLeft: Infinity,
        };
      }
      isSpaced = isBroken = false;
      // The ligature of lam and alef is one glyph, which programs map to its letters in either order.
      if (char === LAM && left === run.lastLeft && right === run.lastRight && ALEF.test(run.text)) {
        run.text = run.text.slice(0, -1) + char + run.text.at(-1);
      } else run.text += char;
      run.chars++;
      if (RIGHT_TO_LEFT.test(char)) run.foreignLeft = Infinity;
      else run.foreignLeft = Math.min(run.foreignLeft, left);
      if (object.isBold) run.bold++;
      if (object.isMonospaced) run.monospaced++;
      // Footnote marks and superscripts do not set the size and baseline of a line.
      if (size > run.size) [run.size, run.y] = [size, y];
      run.isRightToLeft ||= RIGHT_TO_LEFT.test(char);
      run.left = Math.min(run.left, left);
      run.right = Math.max(run.right, right);
      run.lastLeft = left;
      run.lastRight = right;
    }
    close();
    // Text in the direction of most text comes first. Stamps along the margin follow; they are no headings.
    const main = sizes.indexOf(Math.max(...sizes));
    const ordered = runs.flatMap(({ run, direction }) => direction === main ? [run] : []);
    const size = Math.min(...ordered.map((run) => run.size));
    for (const { run, direction } of runs) {
      if (direction !== main) ordered.push({ ...run, size, isBold: false });
    }
    return { runs: ordered, chars, unmapped };
  }

  /** The scratch memory as floats. A view per character would be most of the garbage. */
  #floats(): Float32Array {
    const { buffer } = this.#pdfium.heap();
    if (this.#view?.buffer !== buffer) this.#view = new Float32Array(buffer, this.#scratch, 4);
    return this.#view;
  }

  #describe(textPage: number, index: number, handle: number): TextObject {
    const { functions } = this.#pdfium;
    const at = this.#scratch;
    functions.FPDFText_GetMatrix(textPage, index, at);
    const [a = 1, b = 0, c = 0, d = 1] = this.#floats();
    functions.FPDFTextObj_GetFontSize(handle, at);
    const fontSize = this.#floats()[0]!;
    const size = Math.abs(fontSize) * (Math.hypot(c, d) || Math.hypot(a, b)) || 1;
    const [x, y] = this.#origin(textPage, index);
    const sign = fontSize < 0 ? -1 : 1;
    let direction: Direction = Math.abs(a) >= Math.abs(b) ? (a * sign >= 0 ? 0 : 2) : (b * sign > 0 ? 1 : 3);
    if (direction === 0 && functions.FPDFText_GetTextObject(textPage, index + 1) === handle) {
      const [nextX, nextY] = this.#origin(textPage, index + 1);
      // Vertical writing: characters upright, one under the other.
      if (Math.abs(nextX - x) < size * 0.3 && y - nextY > size * 0.5) direction = 3;
    }
    const height = direction === 0 ? y : direction === 1 ? -x : direction === 2 ? -y : x;
    return { size, direction, y: height, ...this.#font(functions.FPDFTextObj_GetFont(handle)) };
  }

  #origin(textPage: number, index: number): [x: number, y: number] {
    const at = this.#scratch;
    this.#pdfium.functions.FPDFText_GetCharOrigin(textPage, index, at, at + 8);
    const [x = 0, y = 0] = new Float64Array(this.#pdfium.heap().buffer, at, 2);
    return [x, y];
  }

  #font(handle: number): Font {
    let font = this.#fonts.get(handle);
    if (!font) {
      const { functions, heap } = this.#pdfium;
      const length = Math.min(functions.FPDFFont_GetBaseFontName(handle, this.#scratch, 256), 256);
      const name = new TextDecoder().decode(
        heap().slice(this.#scratch, this.#scratch + Math.max(length - 1, 0)),
      );
      font = {
        isBold: BOLD_NAME.test(name) || functions.FPDFFont_GetWeight(handle) >= BOLD_WEIGHT,
        isMonospaced: (functions.FPDFFont_GetFlags(handle) & FIXED_PITCH) !== 0 || MONOSPACED_NAME.test(name),
      };
      this.#fonts.set(handle, font);
    }
    return font;
  }
}

/** Returns the character of a code. PDFium marks hyphens at line ends. */
function toChar(code: number): string {
  return code === 0x02 || code === 0xfffe ? "-" : String.fromCodePoint(code);
}

/** Returns the gap between a run and its next character in reading direction. */
function spaceBefore(
  run: OpenRun,
  { left, right, char }: { left: number; right: number; char: string },
): number {
  if (!run.isRightToLeft) return Math.max(left - run.lastRight, run.lastLeft - right);
  // Right-to-left letters continue on the left of a Latin word. Letters of Arabic overlap or touch.
  return RIGHT_TO_LEFT.test(char) && run.foreignLeft < Infinity ? run.foreignLeft - right : 0;
}

function toRun({ text, left, right, y, size, chars, bold, monospaced }: OpenRun): TextRun {
  return { text, left, right, y, size, isBold: bold * 2 > chars, isMonospaced: monospaced * 2 > chars };
}

/** Text that OCR has found in an image. */
export interface OcrText {
  /** Paragraphs, separated by empty lines. Empty if the image has no readable words. */
  readonly text: string;
  /** Mean confidence of the words, from 0 to 1. */
  readonly confidence: number;
}

/** Level of a row for a word in Tesseract's `tsv` output. */
const WORD_LEVEL = 5;
/** Words with a lower confidence (of 100) are noise: lines, logos, stains. */
const MIN_WORD_CONFIDENCE = 20;
/** Lines with a lower mean confidence (of 100) are noise. */
const MIN_LINE_CONFIDENCE = 40;

interface Line {
  readonly paragraph: string;
  readonly words: string[];
  readonly confidences: number[];
}

/**
 * Reads Tesseract's `tsv` output: one row per word, with the numbers of its block, paragraph and line, its box, its
 * confidence from 0 to 100, and its text.
 *
 * @example
 * ```ts
 * import { readTsv } from "./read_tsv.ts";
 * import { assertEquals } from "@std/assert";
 * const row = (line: number, text: string) => `5\t1\t1\t1\t${line}\t1\t0\t0\t9\t9\t90\t${text}`;
 * assertEquals(readTsv([row(1, "Water"), row(1, "them"), row(2, "daily")].join("\n")), {
 *   text: "Water them\ndaily",
 *   confidence: 0.9,
 * });
 * ```
 */
export function readTsv(tsv: string): OcrText {
  const lines = readLines(tsv).filter(({ confidences }) => mean(confidences) >= MIN_LINE_CONFIDENCE);
  let text = "";
  let paragraph: string | undefined;
  for (const line of lines) {
    if (paragraph !== undefined) text += line.paragraph === paragraph ? "\n" : "\n\n";
    text += line.words.join(" ");
    paragraph = line.paragraph;
  }
  const confidence = mean(lines.flatMap(({ confidences }) => confidences));
  return { text, confidence: Math.round(confidence) / 100 };
}

function readLines(tsv: string): Line[] {
  const lines = new Map<string, Line>();
  for (const row of tsv.split("\n")) {
    const [level, page, block, paragraph, line, , , , , , confidence, word = ""] = row.split("\t");
    if (Number(level) !== WORD_LEVEL || word.trim() === "") continue;
    if (Number(confidence) < MIN_WORD_CONFIDENCE) continue;
    const paragraphKey = `${page}.${block}.${paragraph}`;
    const key = `${paragraphKey}.${line}`;
    const existing = lines.get(key) ?? { paragraph: paragraphKey, words: [], confidences: [] };
    existing.words.push(word.trim());
    existing.confidences.push(Number(confidence));
    lines.set(key, existing);
  }
  return [...lines.values()];
}

function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}

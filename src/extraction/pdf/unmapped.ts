import { hasCommonWords, isLegible } from "../legibility.ts";
import type { PdfPage, TextRun } from "./page.ts";

/**
 * Code point that is added to the code of a glyph without a map to Unicode: a supplementary private use area, which no
 * real text uses.
 */
export const UNMAPPED_BASE = 0xf0000;

/** Share of unmapped characters from which the text of a page is unreadable. */
const MAX_UNMAPPED = 0.5;
/** Share of unmapped characters from which a page lacks a part of its text. */
const MIN_UNMAPPED = 0.05;
const UNMAPPED = /[\u{f0000}-\u{fffff}]/gu;
const MAPPED = /[^\u{f0000}-\u{fffff}\s]+/gu;
/** Characters in place of unmapped glyphs: also control and replacement characters. */
// deno-lint-ignore no-control-regex -- numbers of glyphs that were taken for characters
const REMAINS = /[\u{f0000}-\u{fffff}\ufffd\uffff\u0000-\u001f]/gu;

/** Whether the text of a page can be read: all of it, a part, or nothing. */
export type Readability = "readable" | "partial" | "unreadable";

/**
 * Decides about the glyphs of a page that have no map to Unicode. Their codes may be ASCII, as in old TeX fonts: then
 * they are kept as text. Otherwise they are removed.
 */
export function resolveUnmapped(page: PdfPage): { page: PdfPage; state: Readability } {
  if (page.unmappedShare === 0) return { page, state: judge(page.runs) };
  const unmapped = page.runs.map(({ text }) => codes(text.replace(MAPPED, " "))).join("\n");
  if (hasCommonWords(unmapped)) {
    return { page: { ...page, runs: page.runs.map(asCodes) }, state: "readable" };
  }
  if (page.unmappedShare > MAX_UNMAPPED) return { page, state: "unreadable" };
  const runs = page.runs.flatMap(withoutUnmapped);
  if (judge(runs) === "unreadable") return { page, state: "unreadable" };
  return { page: { ...page, runs }, state: page.unmappedShare > MIN_UNMAPPED ? "partial" : "readable" };
}

function judge(runs: readonly TextRun[]): "readable" | "unreadable" {
  return isLegible(runs.map(({ text }) => text).join("\n")) ? "readable" : "unreadable";
}

/** Takes the codes of unmapped glyphs for characters. */
function asCodes(run: TextRun): TextRun {
  return { ...run, text: codes(run.text) };
}

function codes(text: string): string {
  return text.replace(UNMAPPED, (char) => String.fromCodePoint(char.codePointAt(0)! - UNMAPPED_BASE));
}

/** Removes unmapped glyphs; one at the start, before a space, is a bullet. */
function withoutUnmapped(run: TextRun): TextRun[] {
  const text = run.text.replace(/^[\u{f0000}-\u{fffff}](?=\s+\p{L})/u, "•").replace(REMAINS, "").trim();
  return text === "" ? [] : [{ ...run, text }];
}

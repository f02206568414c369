import { isSpace, skipSpace } from "../whitespace.ts";

/** Punctuation that ends sentences: Latin, CJK, Arabic, Devanagari, Armenian, Ethiopic, Khmer, Burmese, Tibetan. */
const STOPS = codeUnits(
  ".!?\u2026\u203c\u2047\u2048\u2049\u3002\uff01\uff1f\uff0e\uff61\u061f\u06d4\u0964\u0965\u0589\u1362\u17d4\u104b\u0f0d",
);
/** Stops that no space follows, or not always. */
const UNSPACED_STOPS = codeUnits(
  "\u3002\uff01\uff1f\uff0e\uff61\u061f\u06d4\u0964\u0965\u1362\u17d4\u104b\u0f0d",
);
/** Quotation marks, brackets and emphasis markers that may follow a stop. */
const CLOSERS = codeUnits("\"'\u201c\u201d\u2019)]}\u300d\u300f\uff09\u3011\u00bb*_");
/** {@linkcode STOPS} as a table: it is read for each code unit of a text, and a set takes several times as long. */
const IS_STOP = new Uint8Array(2 ** 16);
for (const code of STOPS) IS_STOP[code] = 1;
const FULL_STOP = 0x2e, RIGHT_GUILLEMET = 0xbb;

/** Abbreviations before names and other words that start with a capital letter. */
const ABBREVIATIONS = words(`
  mr mrs ms messrs dr drs prof st hon rev fr sr sra srta jr gen col maj capt cpt lt sgt sen rep gov pres
  vs cf al approx ca eg ie viz resp inc ltd corp co bros dept univ assn jan feb apr aug sept sep oct nov dec
  hr frl dipl ing bzw ggf vgl evtl inkl exkl zzgl bspw sog geb gest hrsg abs str tel mind max min
  mm mme mlle env ex sig sigra dott dra ud uds vd pag núm
  г ул им тыс млн млрд руб рис см др проф акад напр т
`);
/** Abbreviations before numbers. Some are words at the end of a sentence as well. */
const NUMBERED = words(`
  no nos nr nrn num fig figs eq eqs sec sect ch chap vol vols p pp par para art tab ed s bd kap abb ziff anm abschn v n
`);
/** Months that follow a German ordinal: "am 3. Oktober". */
const GERMAN_MONTH = /^(?:Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)/;
const LETTER_OR_DIGIT = /[\p{L}\p{M}\p{N}]/u;
const LOWER_CASE = /\p{Ll}/u;
const MAX_ABBREVIATION_CHARS = 8;

function codeUnits(chars: string): ReadonlySet<number> {
  return new Set(Array.from(chars, (char) => char.charCodeAt(0)));
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

/** Whether a code unit may end a sentence. */
export function isStop(code: number): boolean {
  return IS_STOP[code] === 1;
}

/** Returns the offset after the stops that start at `at`. */
export function skipStops(text: string, at: number, end: number): number {
  while (at < end && isStop(text.charCodeAt(at))) at++;
  return at;
}

/**
 * Returns the start of the next sentence if the stop before `at` ends one, otherwise 0: not after an abbreviation,
 * an initial or inside of a number.
 */
export function nextSentence(text: string, at: number, end: number): number {
  const firstStop = at - 1;
  at = skipStops(text, at, end);
  const lastStop = text.charCodeAt(at - 1);
  const isSingleFullStop = lastStop === FULL_STOP && at - 1 === firstStop;
  // French has a space before the closing quotation mark.
  if (text.charCodeAt(at + 1) === RIGHT_GUILLEMET && isSpace(text.charCodeAt(at))) at++;
  while (at < end && CLOSERS.has(text.charCodeAt(at))) at++;
  const next = skipSpace(text, at, end);
  if (next === end || UNSPACED_STOPS.has(lastStop)) return next;
  // A sentence does not start with a lower-case letter: "e.g. this" and "3.14" contain no boundary.
  if (next === at || LOWER_CASE.test(text[next]!)) return 0;
  return isSingleFullStop && isAbbreviation(text, firstStop, next) ? 0 : next;
}

/** Whether the full stop at `stop` belongs to the word before it. `next` is the offset of the next word. */
function isAbbreviation(text: string, stop: number, next: number): boolean {
  const earliest = Math.max(0, stop - MAX_ABBREVIATION_CHARS);
  let start = stop;
  while (start > earliest && LETTER_OR_DIGIT.test(text[start - 1]!)) start--;
  const word = text.slice(start, stop).toLowerCase();
  const isNumber = /^\d{1,2}$/.test(word);
  if (isNumber) return GERMAN_MONTH.test(text.slice(next, next + 4));
  // Initials ("J. Smith") and abbreviations with several stops ("z. B. Berlin").
  if (word.length === 1) return /\p{L}/u.test(word);
  return ABBREVIATIONS.has(word) || (NUMBERED.has(word) && /^[\dIVX]/.test(text.slice(next, next + 1)));
}

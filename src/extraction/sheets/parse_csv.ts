import type { SheetRow } from "./sheet_text.ts";

/** Delimiters that are recognized, the most common one first. */
const DELIMITERS = [",", ";", "\t", "|"] as const;
/** Length of the start of a file in which the delimiter is counted. */
const SAMPLE_CHARS = 65_536;
/** Number of rows in which the delimiter is counted. */
const SAMPLE_ROWS = 200;
/** Number of rows that are compared with the header. */
const HEADER_SAMPLE_ROWS = 50;
/** Minimum share of rows with the usual number of fields for a delimiter. */
const MIN_REGULAR_SHARE = 0.6;

const QUOTE = 0x22, NEWLINE = 0x0a, SPACE = 0x20;

/**
 * Detects the delimiter of a CSV text: the one that splits the largest share of the rows into the same number of
 * fields; of several, the one with more fields.
 *
 * @returns `undefined` for a text with one column.
 */
export function detectDelimiter(text: string, extension: string): string | undefined {
  const declared = /^sep=(.)\n/i.exec(text.slice(0, 8))?.[1];
  if (declared !== undefined) return declared;
  const cut = text.length > SAMPLE_CHARS ? text.lastIndexOf("\n", SAMPLE_CHARS) : -1;
  const sample = text.slice(0, cut > 0 ? cut : SAMPLE_CHARS);
  let found: string | undefined;
  let foundScore = 0;
  const expected = extension === "tsv" || extension === "tab" ? "\t" : ",";
  for (const delimiter of [...DELIMITERS].sort((a, b) => Number(b === expected) - Number(a === expected))) {
    const score = regularity(sample, delimiter, delimiter === expected ? 0.5 : MIN_REGULAR_SHARE);
    if (score > foundScore) [found, foundScore] = [delimiter, score];
  }
  return found;
}

/** Returns the share of regular rows, plus a little for their number of fields; 0 if there are too few. */
function regularity(sample: string, delimiter: string, minShare: number): number {
  const counts = new Map<number, number>();
  let rows = 0;
  for (const { texts } of parseCsv(sample, delimiter)) {
    if (texts.length === 1 && texts[0]!.trim() === "") continue;
    counts.set(texts.length, (counts.get(texts.length) ?? 0) + 1);
    if (++rows === SAMPLE_ROWS) break;
  }
  const [fields, regular] = [...counts].reduce((best, each) => each[1] > best[1] ? each : best, [1, 0]);
  // Rows that are longer or shorter than others still have the delimiter.
  const delimited = (rows - (counts.get(1) ?? 0)) / rows;
  if (fields < 2 && delimited < 1 - 1 / 2) return 0;
  const share = Math.max(regular / rows * (fields > 1 ? 1 : 0), delimited * minShare);
  return share < minShare ? 0 : share + Math.min(fields, 100) / 1_000;
}

/**
 * Parses CSV (RFC 4180) row by row in linear time: fields in quotation marks may have delimiters, line ends and doubled
 * quotation marks; rows may have different numbers of fields. A quotation mark without a second one is text.
 *
 * @param text Text with `\n` line ends.
 * @param delimiter One character; `undefined` for one column.
 */
export function* parseCsv(text: string, delimiter: string | undefined): Generator<SheetRow> {
  const separator = delimiter?.charCodeAt(0) ?? -1;
  let texts: string[] = [];
  let hasQuotes = true;
  for (let at = 0; at <= text.length;) {
    let field = "";
    // Many writers put a space after the delimiter.
    let quote = at;
    while (hasQuotes && text.charCodeAt(quote) === SPACE) quote++;
    if (hasQuotes && text.charCodeAt(quote) === QUOTE) {
      const quoted = readQuoted(text, quote);
      if (quoted) [field, at] = quoted;
      else hasQuotes = false;
    }
    const start = at;
    for (let code = text.charCodeAt(at); at < text.length; code = text.charCodeAt(++at)) {
      if (code === separator || code === NEWLINE) break;
    }
    texts.push(field + text.slice(start, at));
    if (at < text.length && text.charCodeAt(at) === separator) {
      at++;
      continue;
    }
    // No row starts after the last line end.
    if (at < text.length || texts.length > 1 || texts[0] !== "") yield { texts };
    texts = [];
    at++;
  }
}

/** Returns the content of the quotation marks at `at` and the offset after them; `undefined` if they do not close. */
function readQuoted(text: string, at: number): [field: string, next: number] | undefined {
  let field = "";
  for (let start = at + 1;;) {
    const end = text.indexOf('"', start);
    if (end < 0) return undefined;
    field += text.slice(start, end);
    if (text.charCodeAt(end + 1) !== QUOTE) return [field, end + 1];
    field += '"';
    start = end + 2;
  }
}

/**
 * Whether the first row names the columns: no cell of it is a number, except for a year, above a column of numbers.
 */
export function hasHeaderRow(rows: Iterable<SheetRow>): boolean {
  const [first, ...rest] = firstRows(rows);
  if (!first || rest.length === 0) return true;
  return !first.texts.some((text, column) => {
    if (!isNumber(text) || /^\s*(?:19|20)\d\d\s*$/.test(text)) return false;
    const below = rest.map(({ texts }) => texts[column] ?? "").filter((value) => value.trim() !== "");
    return below.length > 0 && below.filter(isNumber).length >= below.length * 0.8;
  });
}

function firstRows(rows: Iterable<SheetRow>): SheetRow[] {
  const first: SheetRow[] = [];
  for (const row of rows) if (first.push(row) === HEADER_SAMPLE_ROWS) break;
  return first;
}

function isNumber(text: string): boolean {
  return /^\s*[-+]?[$€£]?\d[\d.,' /:-]*(?:e[-+]?\d+)?\s*[%€]?\s*$/i.test(text.slice(0, 40));
}

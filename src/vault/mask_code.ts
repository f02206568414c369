/** Start or end of a fenced code block (CommonMark §4.5), also in a quote or list item. */
const FENCE = /^[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}(?=[^`\n]*$)|~{3,})/;
const HTML_COMMENT = /<!--[\s\S]*?(?:-->|$(?![\s\S]))/g;

/**
 * Replaces code and HTML comments by spaces, since links and tags in them are text. Offsets and line ends stay.
 *
 * Takes linear time.
 */
export function maskCode(text: string): string {
  return maskSpans(maskFences(text).replace(HTML_COMMENT, blank));
}

function maskFences(text: string): string {
  if (!text.includes("```") && !text.includes("~~~")) return text;
  let fence: string | undefined;
  return text.split("\n").map((line) => {
    const marks = FENCE.exec(line.slice(0, 1_000))?.[1];
    if (fence === undefined) {
      if (marks === undefined) return line;
      fence = marks;
      return blank(line);
    }
    const closes = marks !== undefined && marks[0] === fence[0] && marks.length >= fence.length &&
      /^[ \t>]*[`~]+[ \t]*$/.test(line);
    if (closes) fence = undefined;
    return blank(line);
  }).join("\n");
}

/** A run of backticks. */
interface Run {
  readonly start: number;
  readonly length: number;
}

/** Masks code spans: from a run of backticks to the next one of the same length in the same paragraph. */
function maskSpans(text: string): string {
  if (!text.includes("`")) return text;
  const parts: string[] = [];
  let copied = 0;
  for (const runs of runsByParagraph(text)) {
    // Indexes of the runs of each length, in descending order, so that each is taken from the end once.
    const byLength = new Map<number, number[]>();
    for (let n = runs.length - 1; n >= 0; n--) {
      const { length } = runs[n]!;
      const indexes = byLength.get(length);
      if (indexes) indexes.push(n);
      else byLength.set(length, [n]);
    }
    for (let n = 0; n < runs.length; n++) {
      const { start, length } = runs[n]!;
      const indexes = byLength.get(length)!;
      while (indexes.length > 0 && indexes.at(-1)! <= n) indexes.pop();
      const closing = indexes.at(-1);
      if (closing === undefined) continue;
      const end = runs[closing]!.start + length;
      parts.push(text.slice(copied, start), blank(text.slice(start, end)));
      copied = end;
      n = closing;
    }
  }
  return parts.join("") + text.slice(copied);
}

function* runsByParagraph(text: string): Generator<Run[]> {
  let runs: Run[] = [];
  for (const { 0: found, index } of text.matchAll(/`+|\n[ \t]*\n/g)) {
    if (found.startsWith("`")) runs.push({ start: index, length: found.length });
    else if (runs.length > 0) {
      yield runs;
      runs = [];
    }
  }
  if (runs.length > 0) yield runs;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

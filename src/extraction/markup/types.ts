/** A document in a markup language, as Markdown. */
export interface MarkupText {
  readonly title: string | undefined;
  readonly text: string;
  /** `author`, `created`, `language`, `keywords` and other fields of the document. */
  readonly metadata: Record<string, string>;
  readonly tags?: readonly string[];
  readonly warnings?: readonly string[];
}

/** Returns the fields that have a value. */
export function definedFields(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1])),
  );
}

/** Returns lines without the indentation that all of them share. */
export function dedent(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) =>
    line.length - line.trimStart().length
  );
  const shared = indents.reduce((least, indent) => Math.min(least, indent), Infinity);
  return lines.map((line) => line.slice(Math.min(shared, line.length)));
}

/** Removes empty lines at both ends. */
export function trimLines(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

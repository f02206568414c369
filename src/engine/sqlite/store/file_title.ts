/** Maximum length of a file's title, in UTF-16 code units. */
const MAX_TITLE_CHARS = 200;

/** Returns the title of a file: the extracted one, or else the file name. Both are untrusted. */
export function fileTitle(extracted: string | undefined, filename: string | null): string {
  return toTitle(extracted ?? "") || toTitle(filename ?? "") || "Untitled";
}

function toTitle(text: string): string {
  // deno-lint-ignore no-control-regex -- control characters separate words, as white space does
  const line = text.slice(0, 4 * MAX_TITLE_CHARS).replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return line.length <= MAX_TITLE_CHARS ? line : line.slice(0, MAX_TITLE_CHARS - 1).toWellFormed() + "…";
}

/** Longest title taken from a file, in UTF-16 code units; the contract allows more. */
const MAX_CHARS = 200;

/**
 * The title of a file that was sent without one: what it calls itself, else its name. What a file says of itself can be
 * anything, so it is brought to one line.
 */
export function fileTitle(extracted: string | undefined, filename: string | null): string {
  return oneLine(extracted ?? "") || oneLine(filename ?? "") || "Untitled";
}

function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what has to go
  const line = text.slice(0, 4 * MAX_CHARS).replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return line.length <= MAX_CHARS ? line : line.slice(0, MAX_CHARS - 1).toWellFormed() + "…";
}

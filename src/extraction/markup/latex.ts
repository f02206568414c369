import { fencedCode } from "../markdown/fence.ts";
import { markdownTable } from "../markdown/table.ts";
import { ACCENTS, DROPPED, LANGUAGES, LEADING_ARGUMENTS, SYMBOLS } from "./latex_symbols.ts";
import { definedFields, type MarkupText, trimLines } from "./types.ts";

/** Headings by level. */
const SECTIONS: Readonly<Record<string, number>> = {
  part: 1,
  chapter: 1,
  section: 2,
  subsection: 3,
  subsubsection: 4,
  paragraph: 5,
  subparagraph: 6,
  frametitle: 3,
  framesubtitle: 4,
};
const VERBATIM =
  /^(?:verbatim|lstlisting|minted|Verbatim|alltt|BVerbatim|LVerbatim|code|Highlighting|filecontents)\*?$/;
const MATH =
  /^(?:equation|align|alignat|gather|multline|eqnarray|math|displaymath|flalign|dmath|IEEEeqnarray)\*?$/;
const LISTS = /^(?:itemize|enumerate|description|compactitem|compactenum|inparaenum|tasks)\*?$/;
const TABLES = /^(?:tabular|tabularx|tabulary|longtable|array|supertabular|tabu|tblr|longtblr)\*?$/;
const PICTURES = /^(?:tikzpicture|pgfpicture|picture|comment|pspicture|asy|forest)$/;
const STATEMENTS =
  /^(?:theorem|lemma|proof|definition|example|remark|corollary|proposition|claim|exercise|solution|note)\*?$/i;
/** Number of environments and groups in each other that are converted; deeper ones are text. */
const MAX_DEPTH = 60;
/** Maximum number of levels by which the items of a list are indented. */
const MAX_LIST_DEPTH = 8;
/** Maximum length of code in a line of text. Each `\verb` may have a delimiter of its own, which nothing repeats. */
const MAX_VERB_CHARS = 1000;
/** Maximum number of macros, and maximum length of one, that are replaced by their text. */
const MAX_MACROS = 500;
const MAX_MACRO_CHARS = 300;
/** Maximum length of the text of a macro after those in it are replaced. */
const MAX_EXPANDED_CHARS = 2000;

/** Converts LaTeX to Markdown. Mathematics stays LaTeX; comments and settings are dropped. */
export function convertLatex(source: string): MarkupText {
  const text = withoutComments(source);
  const start = /\\begin\s*\{document\}/.exec(text);
  const preamble = start ? text.slice(0, start.index) : "";
  const end = text.lastIndexOf("\\end{document}");
  const body = start ? text.slice(start.index + start[0].length, end < start.index ? undefined : end) : text;
  const macros = readMacros(preamble === "" ? text : preamble);
  const convert = (part: string) => new LatexReader(part, macros).convert();
  const field = (name: string) => {
    const found = new RegExp(`\\\\${name}\\s*(?:\\[[^\\]]{0,300}\\]\\s*)?\\{`).exec(text);
    return found
      ? oneLine(
        convert(
          withoutThanks(groupAt(text, found.index + found[0].length - 1)).replace(/\\and\b|\\And\b/g, ", "),
        ),
      )
      : undefined;
  };
  const title = field("title");
  const date = field("date");
  const languages = /\\usepackage\s*\[([^\]]{0,300})\]\s*\{babel\}/.exec(preamble)?.[1]?.split(",").map((
    name,
  ) => name.trim());
  const author = field("author");
  const content = convert(body);
  return {
    title,
    // As \maketitle prints them.
    text: [title === undefined ? "" : `# ${title}`, author ?? "", content.trim()]
      .filter((part) => part !== "").join("\n\n") + "\n",
    metadata: definedFields({
      author,
      // Dates of today have no digits.
      created: date !== undefined && /\d/.test(date) ? date : undefined,
      language: LANGUAGES[languages?.at(-1) ?? ""] ??
        LANGUAGES[/\\set(?:main|default)language\s*(?:\[[^\]]{0,300}\])?\{(\w+)\}/.exec(preamble)?.[1] ?? ""],
    }),
  };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/\s,/g, ",").trim();
}

/** Removes comments: from `%` to the end of the line, except in verbatim environments. */
function withoutComments(source: string): string {
  const output: string[] = [];
  let verbatim: string | undefined;
  for (const line of source.split("\n")) {
    const begin: string | undefined = /\\begin\{([A-Za-z]+\*?)\}/.exec(line)?.[1];
    if (verbatim !== undefined) {
      output.push(line);
      if (line.includes(`\\end{${verbatim}}`)) verbatim = undefined;
      continue;
    }
    if (begin !== undefined && VERBATIM.test(begin)) {
      output.push(line);
      if (!line.includes(`\\end{${begin}}`)) verbatim = begin;
      continue;
    }
    const comment = /(?<!\\)(?:\\\\)*%/.exec(line);
    if (!comment) output.push(line);
    else {
      const kept = line.slice(0, comment.index + comment[0].length - 1);
      // A line with only a comment does not end a paragraph.
      if (kept.trim() !== "") output.push(kept);
    }
  }
  return output.join("\n");
}

function withoutThanks(text: string): string {
  return text.replace(
    /\\(?:thanks|inst|orcid\w*|footnotemark|email|affil)\s*(?:\[[^\]]{0,300}\])?\s*\{[^{}]*\}/g,
    "",
  );
}

/** Returns the content of the group that starts at an opening brace. */
function groupAt(text: string, open: number): string {
  return text.slice(open + 1, groupEnd(text, open));
}

/** Returns the offset of the brace that closes a group, or the end of the text. */
function groupEnd(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return at;
  }
  return text.length;
}

/**
 * Macros by name, each of which is converted once.
 *
 * Threat: `\def\a{\a\a}`, or a chain of macros that repeat the next one, doubles its text at each level.
 */
class Macros {
  readonly #sources: ReadonlyMap<string, string>;
  readonly #converted = new Map<string, string>();

  constructor(sources: ReadonlyMap<string, string>) {
    this.#sources = sources;
  }

  /** Returns the text of a macro: empty for one that uses itself or is too long; undefined for an unknown one. */
  text(name: string, depth: number): string | undefined {
    const source = this.#sources.get(name);
    if (source === undefined || depth >= MAX_DEPTH) return source;
    const known = this.#converted.get(name);
    if (known !== undefined) return known;
    this.#converted.set(name, "");
    const converted = new LatexReader(source, this, depth + 1).convert();
    const text = converted.length <= MAX_EXPANDED_CHARS ? converted : "";
    this.#converted.set(name, text);
    return text;
  }
}

/** Returns macros without arguments, by name: they are often names of programs. */
function readMacros(text: string): Macros {
  const macros = new Map<string, string>();
  for (
    const found of text.matchAll(
      /\\(?:(?:re)?newcommand\*?|providecommand)\s*\{?\\([A-Za-z]+)\}?\s*\{|\\def\s*\\([A-Za-z]+)\s*\{/g,
    )
  ) {
    if (macros.size >= MAX_MACROS) break;
    const name = (found[1] ?? found[2])!;
    const body = text.slice(
      found.index + found[0].length,
      groupEnd(
        text.slice(0, found.index + found[0].length + MAX_MACRO_CHARS),
        found.index + found[0].length - 1,
      ),
    );
    if (body.length < MAX_MACRO_CHARS && !body.includes("#")) macros.set(name, body);
  }
  return new Macros(macros);
}

class LatexReader {
  readonly #text: string;
  readonly #macros: Macros;
  readonly #output: string[] = [];
  /** Closing of each open environment. */
  readonly #open: string[] = [];
  readonly #listNumbers: number[] = [];
  readonly #depth: number;
  /** Strings that do not occur in the rest of the text. */
  readonly #missing = new Set<string>();
  #at = 0;

  constructor(text: string, macros: Macros, depth = 0) {
    this.#text = text;
    this.#macros = macros;
    this.#depth = depth;
  }

  convert(): string {
    const special = /[\\{}$~%&]|``|''|---?|\n[ \t]*\n/g;
    for (;;) {
      special.lastIndex = this.#at;
      const found = special.exec(this.#text);
      this.#push(this.#text.slice(this.#at, found?.index).replace(/[ \t]+/g, " ").replace(/\n +/g, "\n"));
      if (!found) break;
      this.#at = found.index + found[0].length;
      this.#special(found[0]);
    }
    return this.#output.join("").replace(/(?<![ \t])[ \t]+\n/g, "\n").replace(/\n{3,}/g, "\n\n");
  }

  #push(text: string): void {
    if (text !== "") this.#output.push(text);
  }

  #block(...lines: string[]): void {
    this.#push(`\n\n${lines.join("\n")}\n\n`);
  }

  #special(token: string): void {
    switch (token) {
      case "\\":
        return this.#command();
      case "{":
      case "}":
        return;
      case "$":
        return this.#math();
      case "~":
        return this.#push(" ");
      case "``":
        return this.#push("“");
      case "''":
        return this.#push("”");
      case "--":
        return this.#push("–");
      case "---":
        return this.#push("—");
      case "%":
      case "&":
        return this.#push(token === "&" ? " " : "%");
      default:
        this.#push("\n\n");
    }
  }

  /** Returns the offset of the next occurrence, or -1. Never searches the rest of the text twice in vain. */
  #find(closing: string, from: number): number {
    if (this.#missing.has(closing)) return -1;
    const found = this.#text.indexOf(closing, from);
    if (found < 0) this.#missing.add(closing);
    return found;
  }

  #math(): void {
    const isDisplay = this.#text[this.#at] === "$";
    const from = isDisplay ? this.#at + 1 : this.#at;
    const closing = isDisplay ? "$$" : "$";
    let end = this.#find(closing, from);
    while (end > 0 && this.#text[end - 1] === "\\") end = this.#find(closing, end + 1);
    // A paragraph does not contain an open formula.
    const formula = this.#text.slice(from, Math.max(from, end)).trim();
    if (end < 0 || (!isDisplay && formula.includes("\n\n"))) return this.#push("$");
    this.#at = end + closing.length;
    if (isDisplay) this.#block("$$", formula, "$$");
    else this.#push(`$${formula}$`);
  }

  /** Returns the next argument in braces, or an empty string. */
  #argument(): string {
    const open = this.#skipSpace();
    if (this.#text[open] !== "{") return "";
    const end = groupEnd(this.#text, open);
    this.#at = end + 1;
    return this.#text.slice(open + 1, end);
  }

  /** Returns the optional argument in brackets. */
  #option(): string | undefined {
    const open = this.#skipSpace();
    if (this.#text[open] !== "[") return undefined;
    let depth = 0;
    for (let at = open + 1; at < Math.min(this.#text.length, open + 2000); at++) {
      const char = this.#text[at];
      if (char === "\\") at++;
      else if (char === "{") depth++;
      else if (char === "}") depth--;
      else if (char === "]" && depth <= 0) {
        this.#at = at + 1;
        return this.#text.slice(open + 1, at);
      }
    }
    return undefined;
  }

  #skipSpace(): number {
    let at = this.#at;
    while (
      this.#text[at] === " " || this.#text[at] === "\t" ||
      (this.#text[at] === "\n" && this.#text[at + 1] !== "\n")
    ) at++;
    return at;
  }

  /** Converts a part of the text. */
  #inner(text: string): string {
    if (this.#depth >= MAX_DEPTH) return text;
    return new LatexReader(text, this.#macros, this.#depth + 1).convert();
  }

  #command(): void {
    const word = /[A-Za-z@]+\*?/y;
    word.lastIndex = this.#at;
    const name = word.exec(this.#text)?.[0];
    if (name === undefined) return this.#controlSymbol();
    this.#at += name.length;
    const base = name.replace("*", "");
    if (base === "begin") return this.#begin();
    if (base === "end") return this.#end(this.#argument());
    if (base === "verb" || base === "lstinline" || base === "mintinline") return this.#verb(base);
    if (base in SECTIONS) return this.#section(base);
    if (base === "item") return this.#item();
    if (base in ACCENTS && base.length === 1) return this.#accent(base);
    if (
      /^(?:(?:re|provide)?newcommand|renewcommand|providecommand|newenvironment|renewenvironment|def|let|NewDocumentCommand)$/
        .test(base)
    ) {
      return this.#skipDefinition(base);
    }
    const macro = this.#macros.text(base, this.#depth);
    if (macro !== undefined) {
      this.#push(macro);
      return this.#skipEmptyGroup();
    }
    const symbol = SYMBOLS[base];
    if (symbol !== undefined) {
      this.#push(symbol);
      // Spaces after the name of a command are not printed.
      if (this.#text[this.#at] === " ") this.#at++;
      return this.#skipEmptyGroup();
    }
    this.#commandWithText(base);
  }

  #commandWithText(name: string): void {
    if (
      /^(?:ref|eqref|autoref|cref|Cref|pageref|nameref|vref|cite\w*|Cite\w*|parencite|textcite|footcite|autocite|gls\w*)$/
        .test(name)
    ) {
      const options = [this.#option(), this.#option()].filter((option) =>
        option !== undefined && option !== ""
      );
      const key = this.#argument();
      return this.#push(
        /^gls/i.test(name) ? key : `[${[...options.map((option) => this.#inner(option!)), key].join(", ")}]`,
      );
    }
    if (name === "bibitem") {
      this.#option();
      return this.#push(`\n\n- [${this.#argument()}] `);
    }
    const dropped = DROPPED[name];
    while (this.#option() !== undefined);
    if (dropped !== undefined) {
      for (let i = 0; i < dropped; i++) this.#argument();
      return;
    }
    for (let i = LEADING_ARGUMENTS[name] ?? 0; i > 0; i--) this.#argument();
    if (name === "url" || name === "nolinkurl" || name === "path") return this.#push(this.#argument());
    if (/^(?:footnote|footnotetext|endnote|marginpar|marginnote|sidenote)$/.test(name)) {
      return this.#push(` (${oneLine(this.#inner(this.#argument()))})`);
    }
    if (name === "caption" || name === "captionof" || name === "subcaption") {
      return this.#block(oneLine(this.#inner(this.#argument())));
    }
    if (name === "texttt") return this.#push(`\`${oneLine(this.#inner(this.#argument()))}\``);
    // Of other commands, the arguments are read as text.
    this.#skipStar();
  }

  #skipStar(): void {
    if (this.#text[this.#at] === "*") this.#at++;
    if (this.#text[this.#at] === " ") this.#at++;
  }

  #skipEmptyGroup(): void {
    if (this.#text.startsWith("{}", this.#at)) this.#at += 2;
  }

  #controlSymbol(): void {
    const char = this.#text[this.#at++] ?? "";
    if (char === "(" || char === "[") return this.#bracketMath(char);
    if (char === "\\") {
      this.#option();
      return this.#push("\n");
    }
    if (char in ACCENTS) return this.#accent(char);
    if (/[&%$#_{}]/.test(char)) return this.#push(char);
    if (char === " " || char === "\n" || char === "," || char === ";" || char === ":") return this.#push(" ");
    if (/[-\/!@>)\]]/.test(char)) return;
    this.#push(char);
  }

  #bracketMath(open: string): void {
    const closing = open === "(" ? "\\)" : "\\]";
    const end = this.#find(closing, this.#at);
    if (end < 0) return this.#push(open);
    const formula = this.#text.slice(this.#at, end).trim();
    this.#at = end + 2;
    if (open === "(") this.#push(`$${formula}$`);
    else this.#block("$$", formula, "$$");
  }

  #accent(name: string): void {
    const start = this.#skipSpace();
    const isGroup = this.#text[start] === "{";
    let letter: string;
    if (isGroup) letter = this.#argument();
    else {
      const command = /\\[ij]\b\s?/y;
      command.lastIndex = start;
      letter = command.exec(this.#text)?.[0] ?? this.#text[start] ?? "";
      this.#at = start + letter.length;
    }
    const plain = letter.trim().replace(/^\\([ij])$/, "$1");
    this.#push(plain === "" ? "" : `${plain[0]}${ACCENTS[name]}${plain.slice(1)}`.normalize("NFC"));
  }

  #verb(name: string): void {
    if (name !== "verb") this.#option();
    if (name === "mintinline") this.#argument();
    if (this.#text[this.#at] === "{") return this.#push(`\`${this.#argument()}\``);
    const delimiter = this.#text[this.#at];
    if (delimiter === undefined) return;
    const rest = this.#text.slice(this.#at + 1, this.#at + 1 + MAX_VERB_CHARS);
    const length = rest.indexOf(delimiter);
    if (length < 0) return;
    this.#push(`\`${rest.slice(0, length)}\``);
    this.#at += length + 2;
  }

  #section(name: string): void {
    this.#option();
    const title = oneLine(this.#inner(this.#argument()));
    if (title !== "") this.#block(`${"#".repeat(SECTIONS[name]!)} ${title}`);
  }

  #item(): void {
    const label = this.#option();
    const depth = Math.min(MAX_LIST_DEPTH, Math.max(0, this.#listNumbers.length - 1));
    const number = this.#listNumbers.at(-1) ?? NaN;
    const marker = Number.isNaN(number) ? "-" : `${number}.`;
    if (!Number.isNaN(number)) this.#listNumbers[this.#listNumbers.length - 1] = number + 1;
    const term = label === undefined || label === "" ? "" : `**${oneLine(this.#inner(label))}** `;
    const lineEnd = this.#output.at(-1)?.endsWith("\n") ? "" : "\n";
    this.#push(`${lineEnd}${"   ".repeat(depth)}${marker} ${term}`);
    this.#at = this.#skipSpace();
  }

  #skipDefinition(name: string): void {
    if (name === "let" || name === "def") {
      // Up to the first of both, which is skipped: searching for each would read the rest of the text every time.
      const stop = name === "let" ? /\n/g : /[{\n]/g;
      stop.lastIndex = this.#at;
      this.#at = stop.exec(this.#text)?.index ?? this.#text.length;
      if (this.#text[this.#at] !== "{") return;
    } else {
      const macro = /\s*\*?\s*\\[A-Za-z@]+/y;
      macro.lastIndex = this.#at;
      const found = macro.exec(this.#text);
      if (found) this.#at += found[0].length;
      else this.#argument();
      while (this.#option() !== undefined);
      if (name === "NewDocumentCommand") this.#argument();
    }
    this.#argument();
    if (/environment/.test(name)) this.#argument();
  }

  #begin(): void {
    const name = this.#argument();
    const base = name.replace("*", "");
    if (VERBATIM.test(name)) return this.#verbatim(name);
    if (MATH.test(name)) {
      const formula = this.#environment(name).replace(/\\label\{[^{}]*\}/g, "").trim();
      return this.#block(["$$", ...trimLines(formula.split("\n")), "$$"].join("\n"));
    }
    if (PICTURES.test(base)) return void this.#environment(name);
    if (TABLES.test(name)) return this.#table(name);
    this.#open.push(base);
    if (LISTS.test(name)) {
      this.#option();
      this.#listNumbers.push(/enum/.test(name) ? 1 : NaN);
      return this.#push(this.#listNumbers.length > 1 ? "" : "\n\n");
    }
    const option = this.#option();
    if (base === "abstract") return this.#block("## Abstract");
    if (base === "thebibliography") {
      this.#argument();
      return this.#block("## References");
    }
    if (base === "frame") {
      const title = this.#text[this.#skipSpace()] === "{" ? oneLine(this.#inner(this.#argument())) : "";
      return title === "" ? this.#push("\n\n") : this.#block(`### ${title}`);
    }
    if (STATEMENTS.test(base)) {
      const label = option === undefined ? "" : ` (${oneLine(this.#inner(option))})`;
      return this.#push(`\n\n**${base[0]!.toUpperCase()}${base.slice(1)}**${label} `);
    }
    if (
      /^(?:minipage|multicols|wrapfigure|subfigure|adjustbox|spacing|column|block)$/.test(base) &&
      base !== "block"
    ) {
      while (this.#option() !== undefined);
      this.#argument();
    }
    this.#push("\n\n");
  }

  #end(name: string): void {
    if (LISTS.test(name) && this.#listNumbers.length > 0) this.#listNumbers.pop();
    if (this.#open.at(-1) === name.replace("*", "")) this.#open.pop();
    this.#push(LISTS.test(name) && this.#listNumbers.length > 0 ? "\n" : "\n\n");
  }

  /** Returns the source of an environment and skips it. */
  #environment(name: string): string {
    const closing = `\\end{${name}}`;
    const end = this.#text.indexOf(closing, this.#at);
    const source = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + closing.length;
    return source;
  }

  #verbatim(name: string): void {
    const option = this.#text[this.#at] === "[" ? this.#option() : undefined;
    const argument = /^(?:minted|filecontents)/.test(name) ? this.#argument() : "";
    const language = name.startsWith("minted")
      ? argument
      : /language\s*=\s*\{?([\w+#]+)/.exec(option ?? "")?.[1] ?? "";
    this.#block(fencedCode(trimLines(this.#environment(name).split("\n")).join("\n"), language));
  }

  #table(name: string): void {
    this.#option();
    if (/^(?:tabularx|tabulary|tabular\*)/.test(name)) this.#argument();
    this.#argument();
    const source = this.#environment(name)
      .replace(
        /\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|centering)\b|\\(?:cline|cmidrule)(?:\([^()]*\))?\{[^{}]*\}/g,
        "",
      );
    const rows = source.split(/\\\\(?:\[[^\[\]]*\])?|\\tabularnewline/).map((row) =>
      row.split(/(?<!\\)&/).map((cell) => {
        const columns = Number(/\\multicolumn\s*\{(\d{1,3})\}/.exec(cell)?.[1] ?? 1);
        return { text: oneLine(this.#inner(cell)), columns: Math.max(1, columns) };
      })
    );
    this.#block(markdownTable(rows));
  }
}

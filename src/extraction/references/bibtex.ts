import { oneLine } from "../whitespace.ts";
import type { BibliographyItem } from "./document.ts";
import { latexText } from "./latex_text.ts";
import type { Author, Reference } from "./reference.ts";

/** Maximum number of `@string` macros, and maximum length of the text of one. */
const MAX_MACROS = 10_000;
const MAX_MACRO_CHARS = 2_000;
/**
 * Maximum length of the text that macros add to a file, in characters; further ones stay as their names. Threat: a
 * macro of 2,000 characters that is used a million times.
 */
const MAX_EXPANDED_CHARS = 1_000_000;

/** Maximum length of a key that a comma ends, in characters. */
const MAX_KEY_CHARS = 500;

/** Start of an entry. At the start of a line, it also ends the entry before. */
const ENTRY = /@[ \t]*([A-Za-z]{1,40})\s{0,20}([{(])/y;
const ENTRY_LINE = /^[ \t]*(?=@[ \t]*[A-Za-z]{1,40}\s{0,20}[{(])/gm;
/** A key or name, before `,` or `=`. */
const NAME = /[^\s{}(),="#%@]+/y;
/** Fields of programs that manage references. */
const HIDDEN =
  /^(?:file|bdsk-.*|mendeley-.*|owner|timestamp|date-(?:added|modified)|creationdate|modificationdate|__markedentry|local-url)$/;
/** Fields that are not LaTeX (biblatex: verbatim fields). */
const VERBATIM = /^(?:url|doi|eprint|pdf)$/;
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/**
 * Parses BibTeX or BibLaTeX in linear time. Macros of `@string` are replaced, `@comment`, `@preamble` and text between
 * entries are left out. An entry that cannot be parsed ends before the next line that starts with `@name{`.
 */
export function* parseBibtex(text: string): Generator<BibliographyItem> {
  const macros = new Macros();
  const comments = commentEnds(text);
  const starts = [...text.matchAll(ENTRY_LINE)].map(({ index, 0: indent }) => index + indent.length);
  let at = 0;
  for (const [index, start] of starts.entries()) {
    if (start < at) continue;
    const end = starts[index + 1] ?? text.length;
    const commentEnd = comments.get(start);
    if (commentEnd !== undefined) at = commentEnd;
    else {
      yield* parseEntries(text.slice(start, end), macros);
      at = start + 1;
    }
  }
}

/** Returns the ends of the `@comment{…}` whose braces match, by their start: entries in them are left out, too. */
function commentEnds(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: token, index } of text.matchAll(/@[ \t]*comment[ \t]*\{|[{}]/gi)) {
    if (token === "{") open.push(-1);
    else if (token !== "}") open.push(index);
    else {
      const start = open.pop() ?? -1;
      if (start >= 0) ends.set(start, index + 1);
    }
  }
  return ends;
}

/** Parses the entry at the start of a text, and those after it that start on the same line. */
function* parseEntries(text: string, macros: Macros): Generator<BibliographyItem> {
  const parser = new EntryParser(text, macros);
  for (let start = 0; start >= 0; start = text.indexOf("@", parser.end)) {
    const entry = parser.parse(start);
    if (entry === "malformed") return yield { source: text.slice(start).trim() };
    if (entry !== "skipped") yield { reference: entry };
  }
}

class EntryParser {
  readonly #text: string;
  readonly #macros: Macros;
  #at = 0;

  constructor(text: string, macros: Macros) {
    this.#text = text;
    this.#macros = macros;
  }

  /** Offset after the last entry. */
  get end(): number {
    return this.#at;
  }

  /** Parses the entry at an offset. An `@` that starts none, as in an address, is skipped. */
  parse(start: number): Reference | "skipped" | "malformed" {
    this.#at = start + 1;
    ENTRY.lastIndex = start;
    const head = ENTRY.exec(this.#text);
    if (!head) return "skipped";
    this.#at = ENTRY.lastIndex;
    const type = head[1]!.toLowerCase();
    const closing = head[2] === "{" ? "}" : ")";
    if (type === "comment" || type === "preamble") {
      // One without an end is left out with its line.
      if (closing === ")" || this.#group(1) === undefined) this.#at = this.#text.length;
      return "skipped";
    }
    const key = type === "string" ? "" : this.#key();
    const fields = this.#fields(closing);
    if (fields === undefined) return "malformed";
    if (type !== "string") return toReference(type, key, fields);
    for (const [name, value] of fields) this.#macros.define(name, value);
    return "skipped";
  }

  /** Returns the key of an entry, which may be missing. */
  #key(): string {
    const start = this.#at;
    // Not up to the end of the file, which each of many entries on one line would search for a comma.
    const head = this.#text.slice(start, start + MAX_KEY_CHARS);
    const comma = head.indexOf(",");
    const key = head.slice(0, Math.max(comma, 0)).trim();
    if (comma >= 0 && /^[^\s{}="#]*$/.test(key)) {
      this.#at = start + comma + 1;
      return key;
    }
    // An entry without fields: `@misc{key}`.
    const only = this.#name();
    if (this.#text[this.#space()] !== "=") return only;
    this.#at = start;
    return "";
  }

  /** Returns the fields up to the end of the entry; undefined if there is none, or anything else. */
  #fields(closing: string): [string, string][] | undefined {
    const fields: [string, string][] = [];
    for (;;) {
      const next = this.#text[this.#space()];
      if (next === closing) {
        this.#at++;
        return fields;
      }
      if (next === ",") {
        this.#at++;
        continue;
      }
      const name = this.#name().toLowerCase();
      if (name === "" || this.#text[this.#space()] !== "=") return undefined;
      this.#at++;
      const value = this.#value();
      if (value === undefined) return undefined;
      fields.push([name, value]);
    }
  }

  #name(): string {
    NAME.lastIndex = this.#space();
    const name = NAME.exec(this.#text)?.[0] ?? "";
    this.#at += name.length;
    return name;
  }

  /** Reads a value: groups, strings, numbers and macros that are joined by `#`. */
  #value(): string | undefined {
    const parts: string[] = [];
    do {
      const next = this.#text[this.#space()];
      if (next === "{" || next === '"') {
        this.#at++;
        const start = this.#at;
        const isClosed = next === "{" ? this.#group(1) : this.#string();
        if (isClosed === undefined) return undefined;
        parts.push(this.#text.slice(start, this.#at - 1));
      } else {
        const name = this.#name();
        if (name === "") return undefined;
        parts.push(this.#macros.text(name));
      }
    } while (this.#text[this.#space()] === "#" && ++this.#at > 0);
    return parts.join("");
  }

  /** Moves to the end of a group whose opening brace was read; undefined if it does not end. */
  #group(depth: number): true | undefined {
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at];
      if (char === "{") depth++;
      else if (char === "}" && --depth === 0) return ++this.#at > 0 || undefined;
    }
    return undefined;
  }

  /** Moves to the end of a string: quotation marks in braces belong to it. */
  #string(): true | undefined {
    let depth = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at];
      if (char === "{") depth++;
      else if (char === "}") depth--;
      else if (char === '"' && depth <= 0) return ++this.#at > 0 || undefined;
    }
    return undefined;
  }

  /** Moves behind white space. */
  #space(): number {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
    return this.#at;
  }
}

/** Macros by name. Their texts are those of the macros before them, so that none contains itself. */
class Macros {
  readonly #texts = new Map(MONTHS.map((month) => [month.slice(0, 3).toLowerCase(), month]));
  #expanded = 0;

  define(name: string, text: string): void {
    if (this.#texts.size < MAX_MACROS && text.length <= MAX_MACRO_CHARS) this.#texts.set(name, text);
  }

  /** Returns the text of a macro; the name itself if it is a number, or unknown. */
  text(name: string): string {
    const text = this.#texts.get(name.toLowerCase());
    if (text === undefined || this.#expanded + text.length > MAX_EXPANDED_CHARS) return name;
    this.#expanded += text.length;
    return text;
  }
}

/** @param values Fields in LaTeX, in the order of the entry; of those with the same name, the first one counts. */
function toReference(type: string, key: string, values: readonly (readonly [string, string])[]): Reference {
  const raw = new Map([...values].reverse());
  const used = new Set<string>();
  const take = (...names: string[]) => {
    const name = names.find((each) => (raw.get(each) ?? "").trim() !== "");
    if (name !== undefined) used.add(name);
    return name === undefined ? undefined : raw.get(name)!;
  };
  const authors = raw.get("author") ?? raw.get("editor") ?? "";
  const title = take("title") ?? raw.get("booktitle");
  const subtitle = title === undefined ? undefined : take("subtitle");
  const date = raw.get("date");
  const year = take("year") ?? /^\d{4}/.exec(date ?? "")?.[0];
  const fields = values.filter(([name]) => !used.has(name) && !HIDDEN.test(name)).map(([name, raw]) => {
    if (/^(?:author|editor|translator)$/.test(name)) {
      return [
        name,
        names(raw).map((each) => each.name).join("; "),
      ] as const;
    }
    return [name, VERBATIM.test(name) ? raw.replace(/\\(?=[_%#&~{}$])|[{}]/g, "") : latexText(raw)] as const;
  });
  return {
    key,
    type,
    title: title === undefined
      ? undefined
      : latexText(title) + (subtitle === undefined ? "" : `: ${latexText(subtitle)}`),
    year: year === undefined ? undefined : latexText(year),
    authors: names(authors),
    fields,
  };
}

/** Splits names at `and` outside of braces. */
function names(source: string): Author[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of source.matchAll(/[{}]|(?<=\s)and(?=\s)/gi)) {
    if (token === "{") depth++;
    else if (token === "}") depth--;
    else if (depth <= 0) {
      found.push(source.slice(start, index));
      start = index + token.length;
    }
  }
  found.push(source.slice(start));
  return found.map((name) => toAuthor(name.trim())).filter(({ name }) => name !== "");
}

/** Reads a name. An organization is a name that is in braces as a whole. */
function toAuthor(source: string): Author {
  const isWhole = /^\{[^{}]*\}$/.test(source);
  return { name: oneLine(latexText(source)), isWhole };
}

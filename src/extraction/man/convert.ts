import { MAX_INLINE_CHARS } from "../limits.ts";
import { definedFields, type MarkupText } from "../markup/types.ts";
import { oneLine } from "../whitespace.ts";
import { mdocLine } from "./mdoc_line.ts";
import { PageWriter } from "./page_writer.ts";
import { macroArguments, RoffText, withoutComment } from "./roff_text.ts";
import { tableRows } from "./table.ts";

/** Maximum depth of lists in each other; deeper ones are written at this level. */
const MAX_LEVEL = 8;

/** Maximum number of conditions in each other on one line; what follows is text. */
const MAX_CONDITIONS = 20;
/** Maximum length of the name of a page, in characters. Threat: macros of two letters stand for it. */
const MAX_NAME_CHARS = 100;
/** Maximum number of included files that are named. */
const MAX_LINKS = 20;

/** Requests and macros without text. */
const IGNORED = new Set(
  ("ad hy nh na ne PD in ft ps vs ss hw rm rr tr als tm tm1 it nr nx ll fam IX UC AT DT ns rs pc cs bd lg Sm Bk Ek Os " +
    "pl po lt nn ta fp fc cc c2 ec eo ev em wh ch rd ex ab ul cu uf bp pn mk rt sv os it mso fspecial hcode hpf char " +
    "fchar schar rchar color defcolor gcolor fcolor kern do nm rn chop open opena close write break continue return while " +
    "Xc Xo Lb PN HM FS FE").split(" "),
);
/** Macros that start lines which stay as they are, and those that end them. */
const CODE_STARTS = new Set(["nf", "EX", "Vb", "PS", "DS", "Ex"]);
const CODE_ENDS = new Set(["fi", "EE", "Ve", "PE", "DE", "Ee"]);
const PARAGRAPHS = new Set(["PP", "P", "LP", "HP", "sp", "Sp", "Pp", "Lp", "SY", "QP"]);
/** Macros of the package `man` that change the font of their arguments; those that alternate fonts join them. */
const FONTS = new Set(["B", "I", "SM", "SB", "R", "CW"]);
const ALTERNATING = new Set(["BR", "RB", "BI", "IB", "IR", "RI", "CR", "RC", "CB", "CI"]);

/** A list of mdoc. */
interface List {
  readonly type: string;
  count: number;
  readonly rows: string[][];
}

/** Converts a manual page, in the macros `man` or `mdoc`, to Markdown. */
export function convertMan(source: string): MarkupText {
  const page = new ManReader(source).read();
  const { name, section, date } = page;
  const [, names, purpose] = /^(.{1,500}?)\s+(?:[-–—]+|\\-)\s+(.*)$/.exec(page.purpose.slice(0, 2_000)) ?? [];
  const first = names?.split(",", 1)[0] ?? name;
  const title = [
    first === "" ? "" : section === "" ? first : `${first}(${section})`,
    purpose ?? "",
  ].filter((part) => part !== "").join(" – ");
  const { links } = page;
  return {
    title: title === "" ? undefined : title,
    // A title alone is no text.
    text: page.text === "" ? "" : `${title === "" ? "" : `# ${title}\n\n`}${page.text}\n`,
    metadata: definedFields({
      section: section === "" ? undefined : section,
      created: /^\d{4}-\d\d-\d\d$/.test(date) ? date : undefined,
    }),
    warnings: links.length === 0
      ? []
      : [`The page includes ${links.join(", ")}, which was not read: upload it, too.`],
  };
}

class ManReader {
  readonly #lines: string[];
  readonly #text = new RoffText();
  readonly #writer = new PageWriter();
  readonly #lists: List[] = [];
  #at = 0;
  #indent = 0;
  /** What the next line of text is for. */
  #next: "tag" | 2 | 3 | undefined;
  /** Whether the `.el` of an `.ie` is read, by depth. */
  readonly #else: boolean[] = [];
  #url = "";
  /** Number of conditions in each other that the current line is in. */
  #conditions = 0;
  #isDashed = false;
  #isSynopsis = false;
  name = "";
  section = "";
  date = "";
  readonly links: string[] = [];

  constructor(source: string) {
    // Old pages of perl print the character `*W` as a dash.
    this.#isDashed = source.includes(".tr \\(*W-");
    this.#lines = source.split("\n");
  }

  get text(): string {
    return this.#writer.text;
  }

  get purpose(): string {
    return this.#writer.purpose;
  }

  read(): this {
    while (this.#at < this.#lines.length) this.#line(this.#nextLine());
    this.#writer.code(false);
    while (this.#lists.length > 0) this.#endList();
    this.#writer.end();
    return this;
  }

  /** Returns the next line, with those that continue it after a backslash. */
  #nextLine(): string {
    const parts = [this.#lines[this.#at++]!];
    while (/(?<!\\)(?:\\\\)*\\$/.test(parts.at(-1)!.slice(-100)) && this.#at < this.#lines.length) {
      parts.push(parts.pop()!.slice(0, -1), this.#lines[this.#at++]!);
    }
    return parts.join("");
  }

  #line(line: string): void {
    const control = /^[.'][ \t]*([^ \t\\]*)/.exec(line);
    if (!control) return this.#words(line);
    const name = control[1]!;
    const rest = line.slice(control[0].length);
    if (name !== "") this.#request(name, rest);
  }

  /** Returns text without escapes. */
  #plain(text: string): string {
    return this.#text.plain(this.#isDashed ? text.replaceAll("\\(*W", "-") : text);
  }

  #arguments(rest: string): string[] {
    if (rest.length > MAX_INLINE_CHARS) return [this.#plain(withoutComment(rest)).trim()];
    return macroArguments(rest).map((argument) => this.#plain(argument));
  }

  /** Adds a line of text, or uses it as the tag or heading that a macro has asked for. */
  #words(line: string): void {
    // The end of a conditional block can stand on a line of text.
    const text = this.#plain(withoutComment(line));
    if (this.#next === undefined) {
      if (text.trim() === "" && !this.#writer.isCode) return this.#writer.end();
      return this.#writer.add(text, { isGlued: /\\c\s*$/.test(line.slice(-20)) });
    }
    const next = this.#next;
    this.#next = undefined;
    if (next === "tag") this.#item(text);
    else this.#writer.heading(next, text);
  }

  #item(tag: string): void {
    this.#writer.item(Math.min(this.#indent, MAX_LEVEL), tag);
  }

  #request(name: string, rest: string): void {
    switch (name) {
      case "de":
      case "de1":
      case "am":
      case "am1":
        return this.#skipDefinition(/^\s*\S+\s+(\S+)/.exec(withoutComment(rest.slice(0, 200)))?.[1] ?? ".");
      case "ig":
        return this.#skipDefinition(/^\s*(\S+)/.exec(withoutComment(rest.slice(0, 200)))?.[1] ?? ".");
      case "if":
        return this.#conditional(rest);
      case "ie":
        return this.#conditional(rest, { hasElse: true });
      case "el":
        return this.#block(rest, { isRead: this.#else.pop() ?? true });
      case "ds":
      case "as": {
        const [, key, value = ""] = /^[ \t]*([^ \t]{1,50})(?:[ \t]+"?(.*))?$/.exec(withoutComment(rest)) ??
          [];
        if (key !== undefined && name === "ds") {
          this.#text.define(key, this.#isDashed ? value.replaceAll("\\(*W", "-") : value);
        }
        return;
      }
      case "so":
        if (this.links.length < MAX_LINKS) this.links.push(oneLine(rest.slice(0, 200)));
        return;
      case "nop":
        return this.#words(rest.trimStart());
      case "TS":
        return this.#table();
      case "UR":
      case "MT":
        this.#url = this.#arguments(rest)[0] ?? "";
        return;
      case "UE":
      case "ME": {
        const url = this.#url;
        this.#url = "";
        return this.#writer.add(`${url === "" ? "" : `<${url}>`}${this.#arguments(rest)[0] ?? ""}`);
      }
    }
    if (CODE_STARTS.has(name) && !(name === "Ex" && /std/.test(rest))) return this.#writer.code(true);
    if (CODE_ENDS.has(name)) return this.#writer.code(false);
    if (IGNORED.has(name)) return;
    if (name === "br" || name === "ti" || name === "ce") return this.#writer.break();
    if (PARAGRAPHS.has(name)) return this.#paragraph(name, rest);
    this.#macro(name, this.#arguments(rest));
  }

  #paragraph(name: string, rest: string): void {
    if (this.#writer.isCode) {
      if (name === "sp" || name === "Pp") this.#writer.add("");
      return;
    }
    // In the text of an item, a space does not end it.
    this.#writer.end();
    if (name === "SY") this.#writer.add(this.#arguments(rest)[0] ?? "");
  }

  #macro(name: string, words: readonly string[]): void {
    switch (name) {
      case "TH":
        [this.name = "", this.section = "", this.date = ""] = words.map(oneLine);
        this.name = this.name.slice(0, MAX_NAME_CHARS);
        return;
      case "Dt":
        [this.name = "", this.section = ""] = words.map((word) => oneLine(word));
        this.name = this.name.toLowerCase().slice(0, MAX_NAME_CHARS);
        return;
      case "Dd":
        this.date = words.join(" ");
        return;
      case "SH":
      case "Sh":
        return this.#heading(2, words);
      case "SS":
      case "Ss":
        return this.#heading(3, words);
      case "TP":
        this.#writer.code(false);
        this.#writer.end();
        this.#next = "tag";
        return;
      case "TQ":
        this.#next = "tag";
        return;
      case "IP":
      case "bP":
        return this.#indented(name === "bP" ? ["•"] : words);
      case "RS":
      case "INDENT":
        this.#indent++;
        return this.#writer.isCode ? undefined : this.#writer.break();
      case "RE":
      case "UNINDENT":
        this.#indent = Math.max(0, this.#indent - 1);
        return;
      case "OP":
        return this.#put(`[${words.join(" ")}]`);
      case "MR":
        return this.#put(
          `${words[0] ?? ""}${words[1] === undefined ? "" : `(${words[1]})`}${words[2] ?? ""}`,
        );
      case "Bl":
        this.#writer.end();
        this.#lists.push({ type: words[0] ?? "", count: 0, rows: [] });
        return;
      case "El":
        return this.#endList();
      case "It":
        return this.#listItem(words);
      case "Bd":
        return words.some((word) => word === "-literal" || word === "-unfilled")
          ? this.#writer.code(true)
          : this.#writer.end();
      case "Ed":
        this.#writer.code(false);
        return this.#writer.end();
      case "Nm":
        // In the first section, it gives the page its name.
        if (words[0] !== undefined && this.purpose === "") this.name = words[0].slice(0, MAX_NAME_CHARS);
        // In a synopsis, each name starts a line.
        if (this.#isSynopsis && this.#next === undefined) this.#writer.break();
        return this.#put(mdocLine([name, ...words], { name: this.name }));
      case "Rv":
      case "Ex":
        return this.#put("The exit status or value is 0 on success, and another one if an error occurs.");
      case "Rs":
      case "Re":
        return this.#writer.end();
      case "Fo":
        return this.#put(`${words[0] ?? ""}(`);
      case "Fc":
        return this.#put(")");
    }
    if (FONTS.has(name)) {
      if (words.length > 0) this.#put(words.join(" "));
    } else if (ALTERNATING.has(name)) this.#put(words.join(""));
    else if (/^%[A-Z]$/.test(name)) this.#put(`${words.join(" ")},`);
    else if (/^[A-Z][a-z]/.test(name) || name === "D1") {
      this.#put(mdocLine([name, ...words], { name: this.name }));
    } // Of an unknown macro, which the page or another file defines, the arguments are text.
    else if (words.length > 0) this.#put(words.join(" "));
  }

  /** Adds text of a macro, which can be the tag that the macro before asks for. */
  #put(text: string): void {
    if (this.#next === undefined) return this.#writer.add(text);
    const next = this.#next;
    this.#next = undefined;
    if (next === "tag") this.#item(text);
    else this.#writer.heading(next, text);
  }

  #heading(level: 2 | 3, words: readonly string[]): void {
    while (this.#lists.length > 0) this.#endList();
    this.#indent = 0;
    this.#isSynopsis = words[0] === "SYNOPSIS";
    this.#writer.code(false);
    if (words.length > 0) this.#writer.heading(level, words.join(" "));
    else this.#next = level;
  }

  #indented([tag = ""]: readonly string[]): void {
    this.#writer.code(false);
    if (tag.trim() === "") return this.#writer.end();
    const level = Math.min(this.#indent, MAX_LEVEL);
    if (/^[•·*○o□–—+-]$/.test(tag.trim())) this.#writer.item(level, "");
    else if (/^\(?\d{1,4}[.):]?$/.test(tag.trim())) this.#writer.item(level, "", `${/\d+/.exec(tag)![0]}.`);
    else this.#writer.item(level, tag);
  }

  #listItem(words: readonly string[]): void {
    const list = this.#lists.at(-1);
    const level = Math.min(Math.max(0, this.#lists.length - 1), MAX_LEVEL);
    this.#writer.code(false);
    if (list?.type === "-column") {
      this.#writer.end();
      const cells: string[][] = [[]];
      for (const word of words) {
        if (word === "Ta" || word === "\t") cells.push([]);
        else cells.at(-1)!.push(word);
      }
      list.rows.push(cells.map((cell) => mdocLine(["No", ...cell], { name: this.name })));
      return;
    }
    const tag = words.length === 0 ? "" : mdocLine(["No", ...words], { name: this.name });
    if (list?.type === "-enum") this.#writer.item(level, "", `${++list.count}.`);
    else this.#writer.item(level, tag);
  }

  #endList(): void {
    const list = this.#lists.pop();
    this.#writer.end();
    if (list && list.rows.length > 0) {
      this.#writer.table(list.rows.map((row) => row.map((text) => ({ text }))));
    }
  }

  /** Skips the lines of a macro, up to `..` or the macro that its definition names. */
  #skipDefinition(end: string): void {
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at++]!;
      if (/^[.'][ \t]{0,20}(\S{0,200})/.exec(line)?.[1] === end) return;
    }
  }

  #conditional(rest: string, { hasElse = false }: { readonly hasElse?: boolean } = {}): void {
    const { isTrue, body } = this.#condition(rest.trimStart());
    if (hasElse) this.#else.push(!isTrue);
    this.#block(body, { isRead: isTrue });
  }

  /** Reads or skips the rest of a line, or the lines of a block in `\{` and `\}`. */
  #block(rest: string, { isRead }: { readonly isRead: boolean }): void {
    const body = rest.trimStart();
    if (isRead) {
      // The lines of a block are read like others, and its end is dropped as an escape.
      const line = body.replace(/^\\\{\s*/, "");
      if (line === "") return;
      if (++this.#conditions > MAX_CONDITIONS) this.#words(line);
      else this.#line(line);
      this.#conditions--;
      return;
    }
    let depth = depthOf(body);
    while (depth > 0 && this.#at < this.#lines.length) depth += depthOf(this.#lines[this.#at++]!);
  }

  /** Evaluates a condition as groff does for a terminal; one that is not understood is false. */
  #condition(source: string): { isTrue: boolean; body: string } {
    const isNegated = source.startsWith("!");
    const text = isNegated ? source.slice(1) : source;
    const from = (length: number, value: boolean) => ({
      isTrue: value !== isNegated,
      body: text.slice(length),
    });
    const letter = /^[notev](?=[\s\\]|$)/.exec(text)?.[0];
    if (letter !== undefined) return from(1, letter === "n" || letter === "o");
    const named = /^[drcFmS][ \t]{0,20}\S{1,100}/.exec(text)?.[0];
    if (named !== undefined) return from(named.length, false);
    const quoted = /^(['"])([^'"\n]{0,200})\1([^'"\n]{0,200})\1/.exec(text);
    if (quoted) return from(quoted[0].length, this.#plain(quoted[2]!) === this.#plain(quoted[3]!));
    const [expression = ""] = /^(?:\\n(?:\([^\s]{2}|\[[^\]\s]{1,50}\]|[^\s(\[])|[^\s\\]){1,200}/.exec(text) ??
      [];
    const value = expression.replace(/\\n(?:\(\.g|\[\.g\])/g, "1").replace(/\\n(?:\(..|\[[^\]]*\]|.)/g, "0")
      .replace(/^\((.*)\)$/, "$1");
    const [, left, operator, right] = /^(\d{1,9})(?:([<>]=?|==?)(\d{1,9}))?$/.exec(value) ?? [];
    const isTrue = left !== undefined && compare(Number(left), operator, Number(right ?? 0));
    return { isTrue: left !== undefined && isTrue !== isNegated, body: text.slice(expression.length) };
  }

  #table(): void {
    const lines: string[] = [];
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at++]!;
      if (/^[.']\s{0,20}TE\b/.test(line)) break;
      lines.push(line);
    }
    this.#writer.code(false);
    this.#writer.table(
      tableRows(lines, (line) => this.#cell(line)).map((row) => row.map((text) => ({ text }))),
    );
  }

  /** Returns the text of a line in a table, in which macros change fonts. */
  #cell(line: string): string {
    const [control, name = ""] = /^[.']\s{0,20}([A-Za-z]{1,10})/.exec(line) ?? [];
    if (control === undefined) return this.#plain(withoutComment(line));
    if (
      line.startsWith(".\\") || IGNORED.has(name) || /^(?:br|sp|nf|fi|if|ie|el|PP|P|RS|RE|T&)$/.test(name)
    ) return " ";
    return this.#arguments(line.slice(control.length)).join(ALTERNATING.has(name) ? "" : " ");
  }
}

function compare(left: number, operator: string | undefined, right: number): boolean {
  switch (operator) {
    case ">":
      return left > right;
    case "<":
      return left < right;
    case ">=":
      return left >= right;
    case "<=":
      return left <= right;
    case undefined:
      return left > 0;
    default:
      return left === right;
  }
}

/** Returns how many blocks a line opens, minus those that it closes. */
function depthOf(line: string): number {
  let depth = 0;
  for (let at = line.indexOf("\\"); at >= 0; at = line.indexOf("\\", at + 2)) {
    if (line[at + 1] === "{") depth++;
    else if (line[at + 1] === "}") depth--;
  }
  return depth;
}

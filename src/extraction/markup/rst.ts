import { MAX_INLINE_CHARS } from "../limits.ts";
import { fencedCode } from "../markdown/fence.ts";
import { markdownTable } from "../markdown/table.ts";
import { dedent, definedFields, type MarkupText, trimLines } from "./types.ts";

const ADORNMENT = /^([!-/:-@[-`{-~])\1{1,}\s*$/;
const CODE = new Set(
  "code code-block sourcecode parsed-literal prompt ipython doctest testcode console jupyter-execute".split(
    " ",
  ),
);
/** Directives without text for readers. */
const DROPPED = new Set(
  ("contents toctree include raw meta role default-role highlight index sectnum section-numbering target-notes title " +
    "currentmodule module py:module py:currentmodule automodule literalinclude tabularcolumns header footer class")
    .split(" "),
);
const ADMONITIONS = new Set(
  "attention caution danger error hint important note tip warning admonition seealso deprecated versionadded versionchanged todo"
    .split(" "),
);
/** Maximum depth of directives in directives. */
const MAX_DEPTH = 20;
/** Bibliographic fields (docinfo). */
const FIELD = /^:([\w][\w -]{0,60}):\s+(.*)$/;

/** Converts reStructuredText, with the directives of Sphinx, to Markdown. */
export function convertRst(source: string): MarkupText {
  const reader = new RstReader();
  const lines = source.replace(/\t/g, "        ").split("\n");
  reader.readSubstitutions(lines);
  reader.read(lines, 0);
  return reader.result();
}

class RstReader {
  readonly #output: string[] = [];
  /** Styles of section titles, outermost first. */
  readonly #styles: string[] = [];
  readonly #substitutions = new Map<string, string>();
  readonly #fields = new Map<string, string>();
  #title: string | undefined;

  readSubstitutions(lines: readonly string[]): void {
    for (const line of lines) {
      const found = /^\s*\.\. \|([^|]+)\| (?:replace|unicode)::\s*(.*)$/.exec(line);
      if (found) this.#substitutions.set(found[1]!.toLowerCase(), found[2]!);
      const image = /^\s*\.\. \|([^|]+)\| (?:image|date)::/.exec(line);
      if (image) this.#substitutions.set(image[1]!.toLowerCase(), "");
    }
  }

  result(): MarkupText {
    const field = (name: string) => this.#fields.get(name);
    return {
      title: this.#title,
      text: this.#output.join("\n").replace(/\n{3,}/g, "\n\n").trim() + "\n",
      metadata: definedFields({
        author: field("author") ?? field("authors"),
        created: field("date"),
        keywords: field("keywords"),
        language: field("language"),
      }),
    };
  }

  /** Converts lines without a shared indentation. */
  read(lines: readonly string[], depth: number): void {
    for (let at = 0; at < lines.length;) at = this.#readBlock(lines, at, depth);
  }

  /** Converts the block at a line. Returns the line after it. */
  #readBlock(lines: readonly string[], at: number, depth: number): number {
    const line = lines[at]!;
    const next = lines[at + 1] ?? "";
    const isTop = depth === 0;
    if (line.trim() === "") {
      this.#output.push("");
      return at + 1;
    }
    // Title with an overline.
    if (
      isTop && ADORNMENT.test(line) && ADORNMENT.test(lines[at + 2] ?? "") && next.trim() !== "" &&
      line[0] === lines[at + 2]![0]
    ) {
      this.#heading(`${line[0]}${line[0]}`, next.trim());
      return at + 3;
    }
    if (
      isTop && ADORNMENT.test(next) && !/^[\s.:=-]/.test(line) &&
      next.trim().length >= Math.min(4, line.trim().length)
    ) {
      this.#heading(next[0]!, line.trim());
      return at + 2;
    }
    if (/^\s*={2,}(?:\s+={2,})+\s*$/.test(line)) return this.#simpleTable(lines, at);
    if (/^\s*\+(?:-+\+)+\s*$/.test(line)) return this.#gridTable(lines, at);
    if (ADORNMENT.test(line) && line.trim().length >= 4) {
      this.#output.push("", "---", "");
      return at + 1;
    }
    if (/^\.\.(?:\s|$)/.test(line)) return this.#explicit(lines, at, depth);
    if (/^__\s/.test(line)) return at + 1;
    if (/^>>> /.test(line)) {
      const end = paragraphEnd(lines, at);
      this.#output.push("", fencedCode(lines.slice(at, end).join("\n"), "pycon"), "");
      return end;
    }
    return this.#paragraph(lines, at, depth);
  }

  #heading(style: string, text: string): void {
    if (!this.#styles.includes(style)) this.#styles.push(style);
    const level = this.#styles.indexOf(style) + 1;
    const title = this.#inline(text);
    if (level === 1) this.#title ??= title;
    this.#output.push("", `${"#".repeat(Math.min(6, level))} ${title}`, "");
  }

  #paragraph(lines: readonly string[], at: number, depth: number): number {
    const line = lines[at]!;
    const field = FIELD.exec(line);
    if (field) {
      const end = bodyEnd(lines, at + 1, 1, true);
      const value = [field[2]!, ...lines.slice(at + 1, end).map((each) => each.trim())].join(" ").trim();
      if (depth === 0) this.#fields.set(field[1]!.toLowerCase(), value);
      this.#output.push(`${field[1]}: ${this.#inline(value)}`);
      return end;
    }
    const indent = indentOf(line);
    const item = ITEM.exec(line);
    // Markup can span lines.
    let end = at + 1;
    while (end < lines.length && continues(lines, end, indent, item !== null)) end++;
    const rest = lines.slice(at + 1, end).map((each) => each.trim());
    const first = item ? item[2]! : line.trim();
    const text = this.#literal(this.#inline([first, ...rest].join("\n")));
    if (item) {
      this.#output.push(`${" ".repeat(indent)}${listMarker(item[1]!)} ${text.replaceAll("\n", "\n   ")}`);
    } else if (indent > 0 && this.#isInList()) this.#output.push(text.replace(/^/gm, " ".repeat(indent)));
    else this.#output.push(text);
    if (!/::\s*$/.test(lines[end - 1]!)) return end;
    // An indented literal block follows.
    let start = end;
    while (start < lines.length && lines[start]!.trim() === "") start++;
    if (start === end || indentOf(lines[start] ?? "") <= indent) return end;
    const literalEnd = bodyEnd(lines, start, indent + 1);
    this.#output.push("", fencedCode(trimLines(dedent(lines.slice(start, literalEnd))).join("\n")), "");
    return literalEnd;
  }

  #literal(text: string): string {
    return text.replace(/(^|[^:\s])::\s*$/, "$1:").replace(/\s*::\s*$/, "");
  }

  #isInList(): boolean {
    return /^\s*(?:-|\w+\.) |^ {2}/.test(this.#output.findLast((line) => line !== "") ?? "");
  }

  /** Converts a directive, or drops a comment or target. */
  #explicit(lines: readonly string[], at: number, depth: number): number {
    const line = lines[at]!;
    const end = bodyEnd(lines, at + 1, 1);
    const directive = /^\.\. (?:\|[^|]*\| )?([\w:.+-]+?)::(?:\s+(.*))?$/.exec(line);
    const footnote = /^\.\. \[([^\]]+)\]\s*(.*)$/.exec(line);
    if (footnote) {
      const text = [footnote[2]!, ...lines.slice(at + 1, end).map((each) => each.trim())].join(" ");
      this.#output.push("", `[${footnote[1]}] ${this.#inline(text.trim())}`, "");
    } else if (directive && !line.startsWith(".. |")) {
      this.#directive(
        directive[1]!.toLowerCase(),
        (directive[2] ?? "").trim(),
        dedent(lines.slice(at + 1, end)),
        depth,
      );
    }
    return end;
  }

  #directive(name: string, argument: string, body: readonly string[], depth: number): void {
    const options = new Map<string, string>();
    let start = 0;
    for (; start < body.length; start++) {
      const option = /^:([\w-]+):\s*(.*)$/.exec(body[start]!);
      if (!option) break;
      options.set(option[1]!, option[2]!);
    }
    const content = trimLines(dedent(body.slice(start)));
    const nested = () => this.#nested(content, depth);
    if (CODE.has(name)) {
      if (content.length > 0) this.#output.push("", fencedCode(content.join("\n"), argument), "");
    } else if (name === "math") {
      const formula = argument === "" ? content : [argument, ...content];
      this.#output.push("", ["$$", ...formula, "$$"].join("\n"), "");
    } else if (ADMONITIONS.has(name)) {
      const isTitled = name === "admonition";
      const label = isTitled ? this.#inline(argument) : `${name[0]!.toUpperCase()}${name.slice(1)}`;
      this.#output.push("", `**${label}:**`, "");
      this.#nested(isTitled || argument === "" ? content : [argument, ...content], depth);
    } else if (name === "image" || name === "figure") {
      if (options.get("alt")) this.#output.push("", this.#inline(options.get("alt")!), "");
      nested();
    } else if (name === "list-table") this.#listTable(argument, content);
    else if (name === "csv-table") {
      const rows = [...(options.has("header") ? [options.get("header")!] : []), ...content].map(csvCells);
      this.#output.push(
        "",
        this.#inline(argument),
        "",
        markdownTable(rows.map((row) => row.map((text) => ({ text: this.#inline(text) })))),
        "",
      );
    } else if (!DROPPED.has(name)) {
      // Functions and classes of Sphinx have a signature, others a title.
      const isDefinition =
        /(?:^|:)(?:function|class|method|attribute|data|exception|option|envvar|describe|decorator|staticmethod|classmethod|macro|type|member|property)$/
          .test(name);
      if (argument !== "") {
        this.#output.push("", isDefinition ? `**${argument}**` : this.#inline(argument), "");
      }
      nested();
    }
  }

  #nested(content: readonly string[], depth: number): void {
    this.#output.push("");
    if (depth < MAX_DEPTH) this.read(content, depth + 1);
    else for (const line of content) this.#output.push(line.trim());
    this.#output.push("");
  }

  #listTable(title: string, lines: readonly string[]): void {
    const rows: string[][] = [];
    for (const line of lines) {
      const cell = /^(\* )?\s*- ?(.*)$/.exec(line);
      if (cell?.[1] !== undefined) rows.push([]);
      const row = rows.at(-1);
      if (!row) continue;
      if (cell) row.push(cell[2]!.trim());
      else if (row.length > 0 && line.trim() !== "") row[row.length - 1] += ` ${line.trim()}`;
    }
    this.#output.push(
      "",
      this.#inline(title),
      "",
      markdownTable(rows.map((row) => row.map((text) => ({ text: this.#inline(text) })))),
      "",
    );
  }

  #simpleTable(lines: readonly string[], at: number): number {
    const columns = [...lines[at]!.matchAll(/=+/g)].map(({ index }) => index);
    const isRuler = (line: string | undefined) =>
      line !== undefined && /^\s*={2,}(?:\s+={2,})+\s*$/.test(line);
    let end = at + 1;
    let rulers = 1;
    while (end < lines.length && rulers < 3) {
      if (isRuler(lines[end])) {
        rulers++;
        // Without a header, the second ruler ends the table.
        if (rulers === 2 && (lines[end + 1] ?? "").trim() === "") break;
      } else if (lines[end]!.trim() === "" && rulers === 2 && !lines.slice(end, end + 50).some(isRuler)) {
        break;
      }
      end++;
    }
    const rows: string[][] = [];
    for (const line of lines.slice(at, end)) {
      if (line.trim() === "" || isRuler(line) || /^\s*-{2,}(?:\s+-{2,})*\s*$/.test(line)) continue;
      const cells = columns.map((from, i) => line.slice(from, columns[i + 1]).trim());
      const last = rows.at(-1);
      // Without a first cell, the line continues the row before.
      if (cells[0] === "" && last) cells.forEach((cell, i) => last[i] = `${last[i]} ${cell}`.trim());
      else rows.push(cells);
    }
    this.#pushTable(rows);
    return isRuler(lines[end]) ? end + 1 : end;
  }

  #gridTable(lines: readonly string[], at: number): number {
    let end = at;
    while (end < lines.length && /^\s*[+|]/.test(lines[end]!)) end++;
    const rows: string[][] = [];
    let isNew = true;
    for (const line of lines.slice(at, end)) {
      if (/^\s*\+[-=+]+\+?\s*$/.test(line)) {
        isNew = true;
        continue;
      }
      const cells = line.trim().replace(/^[|+]|[|+]$/g, "").split("|").map((cell) => cell.trim());
      const last = rows.at(-1);
      if (isNew || !last) rows.push(cells);
      else cells.forEach((cell, i) => last[i] = `${last[i] ?? ""} ${cell}`.trim());
      isNew = false;
    }
    this.#pushTable(rows);
    return end;
  }

  #pushTable(rows: readonly (readonly string[])[]): void {
    this.#output.push(
      "",
      markdownTable(rows.map((row) => row.map((text) => ({ text: this.#inline(text) })))),
      "",
    );
  }

  #inline(text: string): string {
    if (text.length > MAX_INLINE_CHARS) return text;
    return text
      .replace(
        /\|([\w][^|\n]{0,60}?)\|_{0,2}/g,
        (whole, name: string) => this.#substitutions.get(name.toLowerCase()) ?? whole,
      )
      .replace(/``([^`]+(?:`[^`]+)*)``/g, "`$1`\ue000")
      .replace(/:math:`([^`]+)`/g, "$$$1$$")
      .replace(/:[\w:.+-]{1,100}:`([^`<]*?)\s*<[^`>]*>`/g, "$1")
      .replace(
        /:(?:[\w-]+:)?(?:code|literal|command|file|option|program|kbd|samp|envvar|func|class|meth|mod|attr|data|exc|obj|const):`[~!]?([^`]+)`/g,
        "`$1`\ue000",
      )
      .replace(/:(PEP|RFC):`(\d+)[^`]*`/gi, "$1 $2")
      .replace(/:[\w:.+-]{1,100}:`[~!]?([^`]+)`/g, "$1")
      .replace(/`([^`<]+?)\s*<[^`>]*>`__?/g, "$1")
      .replace(/`([^`]+)`__?(?!\w|\ue000)/g, "$1")
      .replace(/\[(#?[\w*]*)\]_/g, "[$1]")
      .replace(/(^|[\s("'])([A-Za-z0-9](?:[\w.+-]*[A-Za-z0-9])?)__?(?=[\s.,;:!?)"']|$)/g, "$1$2")
      .replace(/_`([^`]+)`/g, "$1")
      .replaceAll("\ue000", "")
      .replace(/\\(?=\s)\s?/g, "")
      .replace(/\\([*`|_\\])/g, "$1");
  }
}

const ITEM = /^\s*([-*+•]|\(?(?:\d+|[a-zA-Z#])[.)])\s+(\S.*)$/;

function listMarker(marker: string): string {
  if (/^[-*+•]$/.test(marker)) return "-";
  return marker.includes("#") ? "1." : marker.replace(/[()]/g, "").replace(/\.?$/, ".");
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Whether a line continues the paragraph or item before it. */
function continues(lines: readonly string[], at: number, indent: number, isItem: boolean): boolean {
  const line = lines[at]!;
  if (
    line.trim() === "" || ITEM.test(line) || /^\s*(?:\.\.(?:\s|$)|>>> |\+-|={2,})/.test(line) ||
    FIELD.test(line)
  ) return false;
  if (ADORNMENT.test(line) || ADORNMENT.test(lines[at + 1] ?? "")) return false;
  return isItem ? indentOf(line) > indent : indentOf(line) === indent;
}

/** Returns the line after a paragraph. */
function paragraphEnd(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && lines[at]!.trim() !== "") at++;
  return at;
}

/** Returns the line after a block that is indented by at least `indent`, without the empty lines after it. */
function bodyEnd(lines: readonly string[], from: number, indent: number, stopsAtEmpty = false): number {
  let end = from;
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.trim() === "") {
      if (stopsAtEmpty) break;
      continue;
    }
    if (line.length - line.trimStart().length < indent) break;
    end = at + 1;
  }
  return end;
}

function csvCells(line: string): string[] {
  return [...line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)].map(([, quoted, plain]) =>
    quoted?.replaceAll('""', '"') ?? plain!.trim()
  ).slice(0, -1);
}

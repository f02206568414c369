import { MAX_INLINE_CHARS } from "../limits.ts";
import { fencedCode } from "../markdown/fence.ts";
import { markdownTable } from "../markdown/table.ts";
import { definedFields, type MarkupText } from "./types.ts";

/** Delimiters of blocks whose lines are kept as they are. */
const VERBATIM = /^(?:-{4,}|\.{4,}|\+{4,}|`{3,})(\w*)\s*$/;
/** Delimiters of blocks with ordinary text. */
const CONTAINER = /^(?:={4,}|\*{4,}|_{4,}|--|~{4,})\s*$/;
/** Underlines of titles in two lines, by level. */
const UNDERLINES = "=-~^+";
/** Attributes that are replaced by characters. */
const CHARACTERS: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  asterisk: "*",
  backslash: "\\",
  empty: "",
  gt: ">",
  lt: "<",
  nbsp: " ",
  plus: "+",
  sp: " ",
  vbar: "|",
};

/** Converts AsciiDoc to Markdown. */
export function convertAsciiDoc(source: string): MarkupText {
  return new AsciiDocReader(source).convert();
}

class AsciiDocReader {
  readonly #lines: readonly string[];
  readonly #output: string[] = [];
  readonly #attributes = new Map<string, string>();
  #title: string | undefined;
  #author: string | undefined;
  #at = 0;
  /** The last attribute line of a block, such as `[source,ruby]`. */
  #style = "";

  constructor(source: string) {
    this.#lines = source.split("\n");
  }

  convert(): MarkupText {
    while (this.#at < this.#lines.length) this.#readLine();
    const attribute = (name: string) => this.#attributes.get(name);
    return {
      title: this.#title,
      text: this.#output.join("\n").replace(/\n{3,}/g, "\n\n").trim() + "\n",
      metadata: definedFields({
        author: this.#author ?? attribute("author"),
        created: attribute("revdate"),
        keywords: attribute("keywords"),
        language: attribute("lang"),
        subject: attribute("description"),
      }),
    };
  }

  #readLine(): void {
    const line = this.#lines[this.#at++]!;
    const next = this.#lines[this.#at] ?? "";
    if (/^\/{4,}\s*$/.test(line)) return void this.#readUntil(line);
    if (/^\/\/(?!\/)/.test(line)) return;
    const attribute = /^:(!?[\w-]+!?):(?:\s+(.*))?$/.exec(line);
    if (attribute) return this.#setAttribute(attribute[1]!, attribute[2] ?? "");
    if (/^\[.*\]\s*$/.test(line) && !line.startsWith("[[") || /^\[\[[^\]]+\]\]\s*$/.test(line)) {
      return this.#readStyle(line);
    }
    const verbatim = VERBATIM.exec(line);
    if (verbatim && !this.#isUnderline(line, "")) return this.#readVerbatim(line, verbatim[1] ?? "");
    if (/^[|,:!]={3,}\s*$/.test(line)) return this.#readTable(line);
    if (CONTAINER.test(line)) return this.#blank();
    const heading = /^(={1,6}|#{1,6})\s+(\S.*?)(?:\s+=+)?$/.exec(line);
    if (heading) return this.#heading(heading[1]!.length, heading[2]!);
    if (this.#isUnderline(next, line)) {
      this.#at++;
      return this.#heading(UNDERLINES.indexOf(next[0]!) + 1, line.trim());
    }
    if (/^(?:ifdef|ifndef|ifeval|endif|include)::/.test(line)) {
      const content = /^[^[]*\[(.*)\]\s*$/.exec(line)?.[1] ?? "";
      if (/^ifn?def/.test(line) && content !== "") this.#output.push(this.#inline(content));
      return;
    }
    if (/^'{3,}\s*$/.test(line)) return void this.#output.push("", "---", "");
    if (/^(?:<<<|\+)\s*$/.test(line)) return this.#blank();
    this.#text(line);
  }

  #text(line: string): void {
    const title = /^\.([^\s.].*)$/.exec(line);
    if (title) return void this.#output.push("", `**${this.#inline(title[1]!)}**`, "");
    const media = /^(?:image|video|audio)::([^\s\[]*)\[([^\]]*)\]/.exec(line);
    if (media) {
      return void this.#output.push(
        "",
        this.#inline((media[2] ?? "").split(",")[0]!.replaceAll('"', "")),
        "",
      );
    }
    const item = /^\s*(\*{1,5}|-|\.{1,5}|\d+\.)\s+(?:\[([ x*])\]\s+)?(\S.*)$/.exec(line);
    if (item) {
      const marker = item[1]!;
      const depth = /^[*.]+$/.test(marker) ? marker.length - 1 : 0;
      const bullet = /^[*-]/.test(marker) ? "-" : "1.";
      return void this.#output.push(`${"   ".repeat(depth)}${bullet} ${this.#inline(item[3]!)}`);
    }
    const term = /^\s*(\S.*?)(?::{2,4}|;;)(?:\s+(.*))?$/.exec(line);
    if (term && !/^[a-z]+:\/\//.test(term[1]!)) {
      const definition = term[2] ? ` ${this.#inline(term[2])}` : "";
      return void this.#output.push("", `**${this.#inline(term[1]!)}**:${definition}`);
    }
    if (line.trim() === "") return this.#blank();
    this.#output.push(this.#inline(line.replace(/ \+$/, "").trim()));
  }

  #blank(): void {
    this.#output.push("");
  }

  #setAttribute(name: string, value: string): void {
    let text = value;
    while (/ [\\+]$/.test(text) && this.#at < this.#lines.length) {
      text = `${text.slice(0, -2)} ${this.#lines[this.#at++]!.trim()}`;
    }
    this.#attributes.set(name.replaceAll("!", "").toLowerCase(), this.#inline(text));
  }

  #readStyle(line: string): void {
    this.#style = line;
    const quoted = /^\[(?:quote|verse)\s*,\s*([^\]]+)\]/.exec(line);
    const admonition = /^\[(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]/.exec(line);
    if (quoted) this.#output.push("", quoted[1]!.replaceAll('"', ""), "");
    if (admonition) this.#output.push("", `**${admonition[1]}**`, "");
  }

  #heading(level: number, text: string): void {
    const title = this.#inline(text).trim();
    this.#output.push("", `${"#".repeat(level)} ${title}`, "");
    if (level !== 1 || this.#title !== undefined) return;
    this.#title = title;
    // The lines of author and revision.
    const author = this.#lines[this.#at] ?? "";
    if (
      /^[^\s:/[=|*.-][^<>:]*(?:<[^>]+>)?(?:;.*)?$/.test(author) &&
      /^\S+(?: \S+){0,3}\s*(?:<|$|;)/.test(author)
    ) {
      this.#author = author.replace(/\s*<[^>]*>/g, "").replaceAll(";", ",").replaceAll("_", " ").trim();
      this.#output.push(author, "");
      this.#at++;
      const revision = /^v?[\d.]*,?\s*(\d{4}-\d{2}-\d{2})/.exec(this.#lines[this.#at] ?? "");
      if (revision) this.#attributes.set("revdate", revision[1]!);
    }
  }

  /** Whether a line underlines the title before it. */
  #isUnderline(line: string, title: string): boolean {
    return /^([=\-~^+])\1+\s*$/.test(line) && /^[^\s.|[\]/*+:-]/.test(title) && title.length > 2 &&
      Math.abs(line.trim().length - title.trim().length) <= 1 && (this.#output.at(-1) ?? "") === "";
  }

  #readVerbatim(delimiter: string, fenceLanguage: string): void {
    const lines = this.#readUntil(fenceLanguage === "" ? delimiter : "```");
    const language = fenceLanguage || /^\[(?:source)?(?:%\w+)?,\s*([\w+#-]+)/.exec(this.#style)?.[1] || "";
    this.#style = "";
    this.#output.push("", fencedCode(lines.join("\n"), language), "");
  }

  #readUntil(delimiter: string): string[] {
    const lines: string[] = [];
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at++]!;
      if (line.trimEnd() === delimiter.trimEnd()) break;
      lines.push(line);
    }
    return lines;
  }

  #readTable(delimiter: string): void {
    const lines = this.#readUntil(delimiter);
    const columns = this.#columns();
    this.#style = "";
    if (delimiter.startsWith(",") || delimiter.startsWith(":")) {
      const rows = lines.filter((line) => line.trim() !== "").map((line) =>
        line.split(delimiter[0]!).map((text) => ({ text }))
      );
      return void this.#output.push("", markdownTable(rows), "");
    }
    const separator = delimiter[0]!;
    const cells: { text: string; columns: number }[] = [];
    let firstLineCells = 0;
    for (const line of lines) {
      const parts = line.split(
        new RegExp(`(?:^|\\s)(?:(\\d+)\\+|\\d*\\*|\\.\\d+\\+)?[<^>.]{0,4}[aehlmsdv]?\\${separator}`),
      );
      // The parts alternate with the numbers of columns that cells span.
      if (cells.length > 0 && parts[0]?.trim()) cells.at(-1)!.text += ` ${parts[0].trim()}`;
      for (let i = 1; i < parts.length; i += 2) {
        cells.push({ text: this.#inline((parts[i + 1] ?? "").trim()), columns: Number(parts[i] ?? 1) });
      }
      if (firstLineCells === 0) firstLineCells = cells.length;
    }
    const width = columns ?? (firstLineCells || 1);
    const rows: { text: string; columns: number }[][] = [[]];
    let filled = 0;
    for (const cell of cells) {
      if (filled >= width) {
        rows.push([]);
        filled = 0;
      }
      rows.at(-1)!.push(cell);
      filled += cell.columns;
    }
    this.#output.push("", markdownTable(rows), "");
  }

  /** Number of columns by `cols="1,2*3"`. */
  #columns(): number | undefined {
    const spec = /cols\s*=\s*"?([^"\]]+)"?/.exec(this.#style)?.[1];
    if (spec === undefined) return undefined;
    const count = spec.split(/[,;]/).reduce((sum, each) => sum + Number(/(\d+)\*/.exec(each)?.[1] ?? 1), 0);
    return Math.min(100, count);
  }

  #inline(text: string): string {
    if (text.length > MAX_INLINE_CHARS) return text;
    return text
      .replace(
        /\{([\w-]+)\}/g,
        (whole, name: string) => this.#attributes.get(name.toLowerCase()) ?? CHARACTERS[name] ?? whole,
      )
      .replace(/\[\[[\w:.-]+(?:,[^\]]*)?\]\]|\(\(\([^()]*\)\)\)|anchor:[\w-]+\[[^\]]*\]/g, "")
      .replace(/\(\(([^()]+)\)\)/g, "$1")
      .replace(/footnote(?:ref)?:[\w-]*\[([^\]]*)\]/g, " ($1)")
      .replace(
        /<<([^<>,]+?)(?:,\s*([^<>]+))?>>/g,
        (_, id: string, label?: string) => label ?? id.replace(/^#/, ""),
      )
      .replace(
        /\b(?:link|xref|mailto):(\S[^\s\[]*)\[([^\]]*)\]/g,
        (_, target: string, label: string) => linkText(label) || target,
      )
      .replace(
        /\b(https?:\/\/[^\s[\]]+)\[([^\]]*)\]/g,
        (_, url: string, label: string) => linkText(label) || url,
      )
      .replace(/\bimage:(\S[^\s\[]*)\[([^\],]*)(?:,[^\]]*)?\]/g, "$2")
      .replace(/\bmenu:(\S[^\s\[]*)\[([^\]]*)\]/g, "$1 > $2")
      .replace(/\b(?:stem|latexmath|asciimath):\[((?:[^\]\\]|\\.)*)\]/g, "$$$1$$")
      .replace(/\b(?:kbd|btn|pass|icon):\w*\[([^\]]*)\]/g, "$1")
      .replace(/\[[.#][^\]\s]*\](?=[#*_`])/g, "")
      .replace(/(`)\+|\+(`)|\+{3}/g, "$1$2")
      .replace(/(^|\W)#([^#\s][^#]*)#(?=\W|$)/g, "$1$2");
  }
}

/** Returns the label of a link without its attributes. */
function linkText(label: string): string {
  return label.replace(/,?\s*(?:window|role|opts|id)=[^,]*/g, "").replace(/\^$/, "").replace(/^"|"$/g, "")
    .trim();
}

import { MAX_INLINE_CHARS } from "../limits.ts";
import { fencedCode } from "../markdown/fence.ts";
import { markdownTable } from "../markdown/table.ts";
import { dedent, definedFields, type MarkupText } from "./types.ts";

/** Drawers with data for Org itself. */
const HIDDEN_DRAWERS = /^:(?:properties|logbook|clock):$/i;

/** Converts an Org file to Markdown. */
export function convertOrg(source: string): MarkupText {
  const lines = source.split("\n");
  const keywords = readKeywords(lines);
  const title = keywords.get("title");
  const shift = title === undefined ? 0 : 1;
  const author = keywords.get("author");
  // As exports print them.
  const output: string[] = [
    ...(title === undefined ? [] : [`# ${inline(title)}`, ""]),
    ...(author === undefined ? [] : [inline(author), ""]),
  ];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const heading = /^(\*+)\s+(.*)$/.exec(line);
    const begin = /^\s*#\+begin_?:?(\w*)\s*(\S*)/i.exec(line);
    const keyword = /^\s*#\+([\w-]+):\s*(.*)$/.exec(line);
    if (heading) {
      const text = inline(heading[2]!.replace(/\s+:[\p{L}\p{N}_@#%:]+:\s*$/u, ""));
      output.push("", `${"#".repeat(Math.min(6, heading[1]!.length + shift))} ${text}`, "");
    } else if (begin) {
      const end = findLine(lines, at + 1, /^\s*#\+end_?:?/i);
      const content = block(begin[1]!.toLowerCase(), begin[2]!, lines.slice(at + 1, end));
      output.push("", content.join("\n"), "");
      at = end;
    } else if (keyword) {
      if (keyword[1]!.toLowerCase() === "caption") output.push("", inline(keyword[2]!));
    } else if (HIDDEN_DRAWERS.test(line.trim())) {
      const end = findLine(lines, at + 1, /^\s*:end:\s*$/i);
      // A drawer that does not end is text.
      if (end < lines.length) at = end;
    } else if (/^\s*:[\w-]+:\s*$/.test(line)) output.push("");
    else if (/^\s*#(?:\s|$)/.test(line) || /^\s*#\+\w/.test(line)) continue;
    else if (/^\s*:(?: |$)/.test(line)) {
      const end = findLine(lines, at, /^(?!\s*:(?: |$))/);
      output.push(
        "",
        fencedCode(lines.slice(at, end).map((each) => each.replace(/^\s*: ?/, "")).join("\n")),
        "",
      );
      at = end - 1;
    } else if (/^\s*\|/.test(line)) {
      const end = findLine(lines, at, /^(?!\s*\|)/);
      output.push("", table(lines.slice(at, end)), "");
      at = end - 1;
    } else output.push(textLine(line));
  }
  return {
    title: title === undefined ? undefined : inline(title),
    text: output.join("\n").replace(/\n{3,}/g, "\n\n").trim() + "\n",
    metadata: definedFields({
      author,
      created: keywords.get("date")?.replace(/^[<[](\d{4}-\d{2}-\d{2}).*$/, "$1"),
      language: keywords.get("language"),
      keywords: keywords.get("keywords"),
      subject: keywords.get("description"),
    }),
    tags: (keywords.get("filetags") ?? "").split(/[:\s]+/).filter((tag) => tag !== ""),
  };
}

function readKeywords(lines: readonly string[]): Map<string, string> {
  const keywords = new Map<string, string>();
  for (const line of lines) {
    const found = /^#\+(title|subtitle|author|date|language|keywords|description|filetags):\s*(\S.*)$/i.exec(
      line,
    );
    if (!found) continue;
    const name = found[1]!.toLowerCase();
    const before = keywords.get(name);
    keywords.set(name, before === undefined ? found[2]!.trim() : `${before} ${found[2]!.trim()}`);
  }
  return keywords;
}

/** Returns the index of the next matching line, or the number of lines. */
function findLine(lines: readonly string[], from: number, pattern: RegExp): number {
  let at = from;
  while (at < lines.length && !pattern.test(lines[at]!)) at++;
  return at;
}

function block(kind: string, argument: string, lines: readonly string[]): string[] {
  const text = dedent(lines).map((line) => line.replace(/^,(?=[*#,])/, ""));
  switch (kind) {
    case "src":
      return [fencedCode(text.join("\n"), argument.startsWith(":") ? "" : argument)];
    case "example":
    case "export":
      return [fencedCode(text.join("\n"), kind === "export" ? argument : "")];
    case "comment":
      return [];
    case "quote":
      return text.map((line) => `> ${inline(line)}`);
    default:
      return text.map(textLine);
  }
}

function table(lines: readonly string[]): string {
  return markdownTable(
    lines.filter((line) => !/^\s*\|-/.test(line)).map((line) =>
      line.trim().replace(/^\||\|$/g, "").split("|").map((text) => ({ text: inline(text.trim()) }))
    ),
  );
}

function textLine(line: string): string {
  const item = /^(\s*)([-+]|\d+[.)]|[a-zA-Z][.)])\s+(?:\[[ X-]\]\s+)?(?:(\S.*?)\s+::\s+)?(.*)$/.exec(line);
  if (!item) return inline(line.trim());
  const marker = /^[-+]$/.test(item[2]!) ? "-" : item[2]!.replace(")", ".");
  const term = item[3] === undefined ? "" : `**${inline(item[3])}**: `;
  return `${item[1]}${marker} ${term}${inline(item[4]!)}`;
}

/** Reduces the markup inside a line: links to their text, code to Markdown. */
function inline(text: string): string {
  if (text.length > MAX_INLINE_CHARS) return text;
  return text
    .replace(/\[\[(?:[^\[\]]|\\[\[\]])+\]\[([^\]]+)\]\]/g, "$1")
    .replace(/\[\[(?:file:)?([^\[\]]+)\]\]/g, "$1")
    .replace(/(^|[\s('"{-])[=~](\S|\S[^=~\n]*?\S)[=~](?=[\s.,;:!?'")}\]-]|$)/g, "$1`$2`")
    .replace(/<<<?([^<>\n]+)>>>?/g, "$1")
    .replace(/\\\\$/, "");
}

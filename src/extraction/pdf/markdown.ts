import { fencedCode } from "../markdown/fence.ts";
import { cellText } from "../markdown/table.ts";
import { type Block, LIST_ITEM } from "./blocks.ts";
import { isHyphenated, isIdeograph, joinLines } from "./join_lines.ts";
import type { Line } from "./rows.ts";
import type { Table } from "./tables.ts";

/** Text at the start of a line that Markdown would read as structure. */
const STRUCTURE = /^(?:#{1,6}(?=\s|$)|[>|]|[-+*](?=\s)|`{3,}|~{3,}|(?:[-*_]\s*){3,}$|=+\s*$|-+\s*$)/;
const BULLET = /^(?:[•◦▪▫●○■‣⁃∙➢➤❖♦–—*-]|[\ue000-\uf8ff])\s+/u;
const NUMBER = /^[([]?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)\]]\s+/;
/** Dots between an entry of a table of contents and its page. */
const LEADERS = /\s*(?:\.\s?){4,}\s*/g;
const CONTENTS_ENTRY = /(?:\.\s?){4,}\s*[\divxlcIVXLC-]{1,9}$/;

/** Returns a block as Markdown; `level` makes it a heading. */
export function toMarkdown(block: Block, level?: number): string {
  if (block.kind === "table") return tableMarkdown(block.table);
  if (block.kind === "code") return fencedCode(block.lines.map((line) => line.text.trimEnd()).join("\n"));
  if (level !== undefined) {
    return `${"#".repeat(level)} ${
      block.lines.map(({ text }) => text.trim()).reduce(joinLines).replace(/\s+/g, " ")
    }`;
  }
  return textMarkdown(block.lines);
}

function tableMarkdown({ rows }: Table): string {
  const lines = rows.map((row) => `| ${row.map(cellText).join(" | ")} |`);
  lines.splice(1, 0, `|${" --- |".repeat(rows[0]!.length)}`);
  return lines.join("\n");
}

/** Joins the lines of a paragraph or list item; a line that ends early stays a line of its own. */
function textMarkdown(lines: readonly Line[]): string {
  const isItem = LIST_ITEM.test(lines[0]!.text);
  const right = Math.max(...lines.map((line) => line.right));
  let text = isItem ? listItem(lines[0]!.text) : escapeStart(lines[0]!.text);
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index]!;
    const last = lines[index - 1]!;
    const isFilled = !CONTENTS_ENTRY.test(last.text) && (isItem || isFull(last, line, right));
    if (isFilled || isHyphenated(text, line.text)) {
      text = joinLines(text, line.text);
    } else text += `\n${escapeStart(line.text)}`;
  }
  return text.replace(LEADERS, " … ").trimEnd();
}

/** Whether the first word of the next line would not have fitted at the end of a line. */
function isFull(last: Line, next: Line, right: number): boolean {
  const word = next.text.search(/\s/);
  const chars = isIdeograph(next.text[0]) ? 2 : word < 0 ? next.text.length : word + 1;
  const width = (next.right - next.left) / next.text.length * chars;
  return last.right + width >= right - last.size * 1.5;
}

function listItem(text: string): string {
  if (BULLET.test(text)) return text.replace(BULLET, "- ");
  return NUMBER.test(text) ? text : escapeStart(text);
}

function escapeStart(text: string): string {
  return STRUCTURE.test(text) ? `\\${text}` : text;
}

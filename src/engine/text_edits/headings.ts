import { headingTitle, scanBlocks } from "../../extraction/notes/mod.ts";
import { quoteText } from "../../text/mod.ts";
import { KnowledgeBaseError } from "../knowledge_base/mod.ts";
import { lineAt } from "./changed_text.ts";

/** A Markdown heading of a note (CommonMark 0.31 §4.2 and §4.3). */
export interface NoteHeading {
  /** Text as written, without `#` marks. */
  readonly title: string;
  /** From 1 to 6. */
  readonly level: number;
  /** Titles of the headings above it and its own, as chunks and outlines show them: without inline marks. */
  readonly path: readonly string[];
  /** Whether it begins with `#`; otherwise it is underlined (Setext). */
  readonly isAtx: boolean;
  /** Line, from 1. */
  readonly line: number;
  /** Offset of its first line. */
  readonly lineStart: number;
  /** Offset after its last character, also of an underline. */
  readonly end: number;
}

/** Returns the headings of a Markdown text. Lines in code fences are not headings. */
export function noteHeadings(text: string): NoteHeading[] {
  const headings: NoteHeading[] = [];
  const parents: NoteHeading[] = [];
  let line = 1;
  let counted = 0;
  for (const block of scanBlocks({ text, markup: "markdown" })) {
    if (block.kind !== "heading") continue;
    while (parents.length > 0 && parents.at(-1)!.level >= block.level) parents.pop();
    const title = text.slice(block.titleStart, block.titleEnd);
    const lineStart = text.lastIndexOf("\n", block.start) + 1;
    line += lineAt(text.slice(counted, lineStart), lineStart) - 1;
    counted = lineStart;
    const heading = {
      title,
      level: block.level,
      path: [...parents.at(-1)?.path ?? [], headingTitle(title)],
      isAtx: text[block.start] === "#",
      line,
      lineStart,
      end: block.end,
    };
    headings.push(heading);
    parents.push(heading);
  }
  return headings;
}

/**
 * Returns the index of the only heading that `wanted` names: its text, with `#` marks to name its level, or with
 * its parents as in `Plan > Risks`. Inline marks may be left out.
 *
 * @throws {KnowledgeBaseError} `invalid` if there is none or more than one.
 */
export function findHeading(headings: readonly NoteHeading[], wanted: string): number {
  const name = wanted.trim();
  const [, marks = "", text = ""] = /^(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?$/.exec(name) ?? [];
  const level = marks.length;
  const isNamed = (heading: NoteHeading) =>
    heading.title === name || heading.path.at(-1) === name ||
    level === heading.level && (heading.title === text || heading.path.at(-1) === text);
  const names = name.split(" > ").map((each) => each.trim());
  const isAtPath = ({ path }: NoteHeading) =>
    names.length > 1 && names.every((each, i) => path.at(i - names.length) === each);
  const matches = [isNamed, isAtPath].map((test) => headings.flatMap((each, i) => test(each) ? [i] : []))
    .find((found) => found.length > 0) ?? [];
  if (matches.length === 1) return matches[0]!;
  throw new KnowledgeBaseError(
    "invalid",
    matches.length === 0 ? missing(headings, name) : ambiguous(headings, matches, name),
  );
}

/** Maximum number of headings in a message. */
const MAX_NAMED = 10;
/** Maximum length of a heading in a message in UTF-16 code units. */
const MAX_QUOTE = 40;

function missing(headings: readonly NoteHeading[], name: string): string {
  const problem = `section.heading ${quoteText(name, MAX_QUOTE)} is not in the note`;
  if (headings.length === 0) {
    return `${problem}, which has no headings: use replace, append or prepend. Nothing was changed`;
  }
  const named = headings.slice(0, MAX_NAMED)
    .map(({ level, path }) => quoteText(`${"#".repeat(level)} ${path.at(-1)}`, MAX_QUOTE));
  const more = headings.length > MAX_NAMED ? ` and ${headings.length - MAX_NAMED} more` : "";
  return `${problem}. Nothing was changed. Its headings are ${named.join(", ")}${more}`;
}

function ambiguous(headings: readonly NoteHeading[], matches: readonly number[], name: string): string {
  const found = matches.slice(0, MAX_NAMED).map((index) => headings[index]!);
  const paths = new Set(found.map(({ path }) => path.join(" > ")));
  const levels = new Set(found.map(({ level }) => level));
  const lines = found.map(({ line }) => line).join(", ");
  const advice = paths.size === matches.length
    ? `name its parents, too, as in ${quoteText([...paths][0]!, 2 * MAX_QUOTE)}`
    : levels.size === matches.length
    ? `write it with its # marks, as in ${quoteText(`${"#".repeat(found[0]!.level)} ${name}`, MAX_QUOTE)}`
    : "use replace with a passage of the section";
  return `section.heading must match one heading, got ${matches.length} (lines ${lines}): ${advice}. ` +
    "Nothing was changed";
}

import { scanBlocks, type TextRange } from "../../extraction/notes/mod.ts";
import { quoteText } from "../../text/mod.ts";
import { KnowledgeBaseError } from "../knowledge_base/mod.ts";
import { type ChangedText, spliceText } from "./changed_text.ts";
import { findHeading, type NoteHeading, noteHeadings } from "./headings.ts";

/** A new text for the section under a heading. */
export interface SectionEdit {
  /** Heading with or without `#` marks; its parents may precede it, separated by ` > `. */
  readonly heading: string;
  /** May repeat the heading. */
  readonly text: string;
}

/**
 * Replaces the text under a heading, up to the next heading of the same or a higher level. The heading and the
 * white space around the section stay.
 *
 * @throws {KnowledgeBaseError} `invalid` if the heading does not match exactly one, or the text would swallow the
 * next heading.
 */
export function replaceSection(note: ChangedText, { heading, text }: SectionEdit): ChangedText {
  const headings = noteHeadings(note.text);
  const index = findHeading(headings, heading);
  const found = headings[index]!;
  const next = headings.slice(index + 1).find(({ level }) => level <= found.level);
  const body = { start: found.end, end: next ? next.lineStart : note.text.length };
  const content = withoutHeading(text, found);
  const { before, after } = margins(note.text, body, next);
  const replacement = content === "" ? (next ? "\n\n" : after) : before + content + after;
  const result = spliceText(note, body, replacement);
  if (next && !isHeading(result.text, found, body.start + replacement.length)) {
    throw new KnowledgeBaseError(
      "invalid",
      `section.text must not swallow the next heading ${quoteText(next.title, 40)}: close its code fence. ` +
        "Nothing was changed",
    );
  }
  return result;
}

/** Returns the text of a section without blank lines at its ends, and without its own heading. */
function withoutHeading(text: string, { level, title }: NoteHeading): string {
  const trimmed = trimLines(text);
  const [first] = noteHeadings(trimmed);
  const repeats = first?.lineStart === 0 && first.level === level && first.title === title;
  return repeats ? trimLines(trimmed.slice(first.end)) : trimmed;
}

function trimLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
}

/** Returns the white space that separates a section from its heading and from what follows it. */
function margins(
  text: string,
  { start, end }: TextRange,
  next: NoteHeading | undefined,
): { before: string; after: string } {
  const body = text.slice(start, end);
  const isEmpty = body.trim() === "";
  const leading = body.slice(0, body.length - body.trimStart().length);
  const trailing = body.slice(body.trimEnd().length);
  // Without the indentation of the first line.
  const before = isEmpty ? "\n\n" : leading.slice(0, leading.lastIndexOf("\n") + 1);
  if (!next) return { before, after: trailing };
  // A Setext heading directly after a paragraph would be a part of it.
  return { before, after: isEmpty || (!next.isAtx && !trailing.includes("\n\n")) ? "\n\n" : trailing };
}

function isHeading(text: string, { lineStart }: NoteHeading, at: number): boolean {
  for (const block of scanBlocks({ text, markup: "markdown" }, { start: lineStart, end: text.length })) {
    if (block.start >= at) return block.kind === "heading";
    if (block.end > at) return false;
  }
  return false;
}

import type { TextRange } from "../../extraction/mod.ts";
import { quoteText } from "../../text/mod.ts";
import { KnowledgeBaseError } from "../knowledge_base/mod.ts";
import { lineAt } from "./changed_text.ts";
import { closestLine } from "./closest_line.ts";
import { occurrences } from "./occurrences.ts";

/** Maximum number of matches to count. */
const MAX_MATCHES = 100;
/** Maximum number of lines to name. */
const MAX_LINES = 5;
/** Maximum number of lines of a passage to look up one by one, and their maximum length. */
const MAX_CHECKED = { lines: 50, chars: 200 };
/** Maximum length of a quoted line in UTF-16 code units. */
const MAX_QUOTE = 160;

/**
 * Finds the only occurrence of a passage.
 *
 * @throws {KnowledgeBaseError} `invalid` if there is none or more than one.
 */
export function findPassage(text: string, passage: string): TextRange {
  const matches: number[] = [];
  for (const at of occurrences(text, passage)) {
    if (matches.push(at) === MAX_MATCHES) break;
  }
  const [start, second] = matches;
  if (start === undefined) throw new KnowledgeBaseError("invalid", missing(text, passage));
  if (second !== undefined) {
    const lines = [...new Set(matches.slice(0, MAX_LINES).map((at) => lineAt(text, at)))].join(", ");
    const count = matches.length < MAX_MATCHES ? matches.length : `at least ${MAX_MATCHES}`;
    throw new KnowledgeBaseError(
      "invalid",
      `replace.old must match one passage, got ${count} (from line ${lines}): include more of the text around it. ` +
        "Nothing was changed",
    );
  }
  return { start, end: start + passage.length };
}

function missing(text: string, passage: string): string {
  // Each line is searched in the whole note, while other writes wait.
  const lines = passage.split("\n", MAX_CHECKED.lines).map((line) => line.slice(0, MAX_CHECKED.chars))
    .filter((line) => line.trim() !== "");
  const line = lines.find((each) => !text.includes(each)) ?? lines[0];
  const closest = line === undefined ? undefined : closestLine(text, line);
  const hint = closest
    ? `The closest line is line ${closest.line}: ${
      quoteText(closest.text, MAX_QUOTE)
    }. Copy the passage exactly`
    : "Read the note with kb_get and copy the passage exactly, with its line breaks and marks";
  return `replace.old is not in the note. ${hint}. Nothing was changed`;
}

import { WORD_CHARACTERS } from "../../../analysis/mod.ts";
import { quoteText } from "../../../text/mod.ts";
import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import type { Condition } from "./filter_conditions.ts";
import { foldName } from "./search_text.ts";

/**
 * Characters between words, as the inside of a GLOB class: ASCII and Latin-1 characters other than letters and
 * digits, and the punctuation of other scripts. Titles are normalized, so their letters are not among them.
 */
const SEPARATORS = "\x01-/:-@[-`{-\xbf×÷\u0589-\u058a\u05be\u060c\u061b\u061f\u0964-\u0965" +
  "\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u303f\ufe30-\ufe4f";

/** The title without case and accents. The normalized title, if any, is followed by the subwords of its words. */
const FOLDED_TITLE = "lower(coalesce(d.search_title, d.title))";

/** A name without case and accents. It is normalized when it is read, which takes long unless it is ASCII. */
const folded = (name: string) =>
  `CASE WHEN ${name} GLOB '*[^ -~]*' THEN kb_folded(${name}) ELSE lower(${name}) END`;

const FOLDED_PATH = folded("d.source_path");

/** The last segment of the path: what is left of it without the characters up to the last slash. */
const FILE_NAME = folded(
  "substr(d.source_path, length(rtrim(d.source_path, replace(d.source_path, '/', ''))) + 1)",
);

const WORDS = new RegExp(`[${WORD_CHARACTERS}]+`, "gu");

/**
 * Returns the condition that each word of a text is the start of a word of the title, or each of a word of the file
 * name, regardless of case and accents; with a slash, of the path. The full-text index cannot decide it: it contains
 * stems, and only titles of documents with text.
 *
 * @throws {KnowledgeBaseError} `invalid` for a text without words.
 */
export function titleCondition(text: string): Condition {
  const wanted = foldName(text).match(WORDS);
  if (!wanted) {
    throw new KnowledgeBaseError("invalid", `title must contain a word, got ${quoteText(text, 60)}`);
  }
  const ofTitle = startsOfWords(FOLDED_TITLE, FOLDED_TITLE, wanted);
  const ofName = startsOfWords(FOLDED_PATH, text.includes("/") ? FOLDED_PATH : FILE_NAME, wanted);
  return { sql: `(${ofTitle.sql} OR ${ofName.sql})`, params: [...ofTitle.params, ...ofName.params] };
}

/**
 * Returns the condition that each word is the start of a word of a text.
 *
 * @param haystack An SQL expression that contains the text and is cheaper.
 */
function startsOfWords(haystack: string, text: string, words: readonly string[]): Condition {
  const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? "";
  return {
    // instr is much faster than GLOB: it rejects most texts, and finds words after a space.
    sql: `instr(${haystack}, ?) > 0 AND NOT EXISTS (
            SELECT 1 FROM json_each(?) word, (SELECT ' ' || ${text} AS text) title
             WHERE instr(title.text, ' ' || word.value) = 0
               AND (instr(title.text, word.value) = 0
                    OR NOT title.text GLOB '*[${SEPARATORS}]' || word.value || '*'))`,
    params: [longest, JSON.stringify([...new Set(words)])],
  };
}

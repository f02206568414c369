import { isStopWord, stems } from "../../analysis/mod.ts";
import { wordsOf } from "./query_terms.ts";

/** A sentence of a note, prepared for comparison. */
export interface Sentence {
  /** The sentence without Markdown markup at its start. */
  readonly text: string;
  /** Its words, without case and punctuation. */
  readonly key: string;
  /** Stems of its content words, without repetitions, in order. Of a sentence of stop words, all stems. */
  readonly terms: readonly string[];
}

/** Maximum length of a sentence in UTF-16 code units; a longer one is cut. */
const MAX_CHARS = 300;

/** Heading, quote, list and task marks at the start of a line. */
const LINE_MARKUP = /^\s*(?:(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+)*(?:\[[ xX]\]\s+)?/;
/**
 * White space after a full stop, question or exclamation mark, except after initials and common abbreviations.
 * Scripts without spaces have marks of their own.
 */
const SENTENCE_END =
  /(?<=[.!?]["')\]]?)(?<!(?<!\p{L})(?:Dr|Mr|Mrs|Ms|Prof|St|No|Nr|vs|ca|approx|e\.g|i\.e|z\.B|\p{L})\.)\s+(?=[^\p{Ll}\s])|(?<=[。！？])/u;

const POSSESSIVE = /(?<=\p{L})['’]s(?![\p{L}\p{N}])/giu;

/**
 * Splits a note into its sentences. Each line ends one.
 *
 * @param options.max Maximum number of sentences.
 *
 * @example
 * ```ts
 * import { sentencesOf } from "./sentences.ts";
 * import { assertEquals } from "@std/assert";
 * const [first, second] = sentencesOf("- Deploys run on Mondays. Ask Dr. Weber first!", { max: 9 });
 * assertEquals(first, { text: "Deploys run on Mondays.", key: "deploys run on mondays", terms: ["deploi", "run", "mondai"] });
 * assertEquals(second?.text, "Ask Dr. Weber first!");
 * ```
 */
export function sentencesOf(text: string, { max }: { readonly max: number }): Sentence[] {
  const sentences: Sentence[] = [];
  for (const line of text.split("\n")) {
    for (const part of line.replace(LINE_MARKUP, "").split(SENTENCE_END)) {
      const sentence = part.length > MAX_CHARS
        ? `${part.slice(0, MAX_CHARS - 1).toWellFormed()}…`
        : part.trim();
      const words = wordsOf(sentence.replace(POSSESSIVE, ""));
      if (words.length > 0) sentences.push({ text: sentence, key: words.join(" "), terms: termsOf(words) });
      if (sentences.length === max) return sentences;
    }
  }
  return sentences;
}

function termsOf(words: readonly string[]): string[] {
  const content = words.filter((word) => !isStopWord(word));
  return [...new Set(stems(content.length > 0 ? content : words).flat())];
}

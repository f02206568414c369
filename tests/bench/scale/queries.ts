import { isStopWord } from "../../../src/analysis/mod.ts";
import { type Random, seededRandom } from "../../support/random.ts";
import type { ScaleCorpus } from "./corpus.ts";

/** Queries of the scale benchmark, from texts that are not stored. */
export interface ScaleQueries {
  /** Three content words of a sentence. */
  readonly keywords: string[];
  /** Sentences of 5–12 words, with their stop words. */
  readonly questions: string[];
  /** Two or three successive words in quotation marks. */
  readonly phrases: string[];
  /** Keywords, one of them with a misspelling. */
  readonly misspelled: string[];
  /** All kinds in turn: four of ten are questions, four keywords, one a phrase, one misspelled. */
  readonly mixed: string[];
  /** The most expensive queries, by their description. */
  readonly worst: Record<string, string>;
}

const QUERIES = 2_000;
/** Maximum number of sentences of a text. */
const MAX_SENTENCES = 10;
/** Number of texts at the end of the random order that are not stored. */
export const HELD_OUT = 2_000;

/** Derives queries from the texts at the end of a corpus. */
export function scaleQueries({ notes, files }: ScaleCorpus): ScaleQueries {
  const random = seededRandom(15);
  const sentences: string[][] = [];
  for (let index = 1; index <= HELD_OUT && sentences.length < 3 * QUERIES; index++) {
    for (const list of [notes, files]) {
      const text = list.at(list.length - index).text.replace(/```[\s\S]*?```/g, " ");
      const found = text.split(/(?<=[.!?])\s+|\n\n|\n- /).map((sentence) =>
        sentence.match(/\p{L}[\p{L}'’-]*/gu) ?? []
      )
        .filter((words) => words.length >= 8 && words.filter(isContentWord).length >= 4);
      sentences.push(...found.slice(0, MAX_SENTENCES));
    }
  }
  const take = <T>(from: (words: string[]) => T) =>
    Array.from({ length: QUERIES }, () => from(random.pick(sentences)));
  const keywords = take((words) => keywordsOf(words, random).join(" "));
  const questions = take((words) => sliceOf(words, 5 + random.int(8), random).join(" "));
  const phrases = take((words) => `"${phraseOf(words, random).join(" ")}"`);
  const misspelled = take((words) => misspell(keywordsOf(words, random), random).join(" "));
  const mixed = Array.from({ length: QUERIES }, (_, n) => {
    const kind = n % 10;
    return (kind < 4 ? questions : kind < 8 ? keywords : kind === 8 ? phrases : misspelled)[n]!;
  });
  return { keywords, questions, phrases, misspelled, mixed, worst: worstQueries(sentences, random) };
}

function isContentWord(word: string): boolean {
  return word.length >= 4 && !isStopWord(word.toLowerCase());
}

function keywordsOf(words: readonly string[], random: Random): string[] {
  const content = words.filter(isContentWord);
  const start = random.int(content.length - 2);
  return content.slice(start, start + 3);
}

function sliceOf(words: readonly string[], length: number, random: Random): string[] {
  const start = random.int(Math.max(1, words.length - length));
  return words.slice(start, start + length);
}

function phraseOf(words: readonly string[], random: Random): string[] {
  const phrase = sliceOf(words, 2 + random.int(2), random);
  return phrase.some(isContentWord) ? phrase : words.slice(words.findIndex(isContentWord)).slice(0, 2);
}

/** Swaps two letters of the longest word. */
function misspell(words: readonly string[], random: Random): string[] {
  const longest = words.toSorted((a, b) => b.length - a.length)[0]!;
  const at = 1 + random.int(longest.length - 2);
  const typo = longest.slice(0, at) + longest[at + 1] + longest[at] + longest.slice(at + 2);
  return words.map((word) => word === longest ? typo : word);
}

const STOP_WORDS =
  "the of and to a in that is was for it on with as be by at he this had not are but from or have an they which one you were all"
    .split(" ");

function worstQueries(sentences: readonly string[][], random: Random): Record<string, string> {
  const all = sentences.flat();
  const content = all.filter(isContentWord);
  const long = (words: readonly string[], chars: number) => words.join(" ").slice(0, chars);
  const typo = (word: string) => misspell([word], random)[0]!;
  const longWords = content.filter((word) => word.length >= 8);
  const queries = {
    "phrase of two stop words": '"of the"',
    "phrase of four stop words": '"as well as the"',
    "phrase of common words": '"one of the most"',
    "phrase of two frequent words": '"number of"',
    "phrase of frequent content words": '"file system"',
    "phrase that occurs nowhere": '"the of a to in"',
    "three phrases": '"in the" "of the" "to the"',
    "phrase of 12 words": `"${long(sentences[0]!.slice(0, 12), 200)}"`,
    "exclusions only": "-the -of",
    "frequent word, exclusions": "file -the -of",
    "frequent word, excluded phrase": 'data -"of the"',
    "one stop word": "the",
    "12 stop words": STOP_WORDS.slice(0, 12).join(" "),
    "60 stop words": [...STOP_WORDS, ...STOP_WORDS].slice(0, 60).join(" "),
    "frequent words": "file system data value function number time name set type",
    "60 words": all.slice(0, 60).join(" "),
    "60 content words": content.slice(0, 60).join(" "),
    "10,000 characters": long(all, 10_000),
    "10,000 characters, one word": long(Array(2_000).fill("file"), 10_000),
    "10,000 characters, no space": long([content.slice(0, 2_000).join("")], 10_000),
    "1,000 stop words": Array.from({ length: 1_000 }, (_, n) => STOP_WORDS[n % STOP_WORDS.length]).join(" "),
    "one misspelling": typo(longWords[0]!),
    "12 misspellings": longWords.slice(1, 13).map(typo).join(" "),
    "60 misspellings": longWords.slice(20, 80).map(typo).join(" "),
    "single letters": "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "identifiers":
      "get_user_name std::vector kb-mcp foo.bar() lib/util.ts ERR-1234 C++ 1.2.3 getValueOfTheFile",
  };
  return queries;
}

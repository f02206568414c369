import { assert, assertEquals } from "@std/assert";
import { readTestCollection } from "../../src/evaluation/mod.ts";

const FOLDER = new URL("./paraphrases/", import.meta.url);

interface Entry {
  readonly id: string;
  readonly text: string;
  readonly language: string;
  /** Set for a question in another language than its note. */
  readonly document_language?: string;
}

async function entries(file: string): Promise<Entry[]> {
  const text = await Deno.readTextFile(new URL(file, FOLDER));
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

const documents = await entries("docs.jsonl");
const questions = await entries("queries.jsonl");
const { queries } = await readTestCollection(FOLDER.pathname);

/** Words without content that occur in a question and in its note. */
const FUNCTION_WORDS = new Set(
  ("a for in is on the them then there to we " + // English
    "bis die wird wir " + // German
    "de il la " + // French
    "el en por que " + // Spanish
    "con si " + // Italian
    "e o os porque " + // Portuguese
    "een " + // Dutch
    "nie niego " + // Polish
    "из " + // Russian
    "في").split(" "), // Arabic
);

/** Returns the words without case and accents. Han characters count as words; Hiragana, mostly endings, is skipped. */
function contentWords(text: string): string[] {
  const plain = text.toLowerCase().normalize("NFKD").replaceAll(/\p{Mn}/gu, "");
  const words = plain.match(
    /\p{sc=Han}|\p{sc=Katakana}+|[[\p{L}\p{N}]--[\p{sc=Han}\p{sc=Katakana}\p{sc=Hiragana}]]+/gv,
  );
  return (words ?? []).filter((word) => !FUNCTION_WORDS.has(word));
}

/** Whether two words may have the same stem: one begins with the other, or both with the same four letters. */
function mayShareStem(a: string, b: string): boolean {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  return shorter >= 3 && a.slice(0, Math.min(shorter, 4)) === b.slice(0, Math.min(shorter, 4));
}

Deno.test("the collection has 300 notes and 200 questions in 12 languages, 60 or more of them English", () => {
  assertEquals([documents.length, questions.length], [300, 200]);
  const languages = new Set(documents.map(({ language }) => language));
  assertEquals([...languages].sort().join(" "), "ar de en es fr it ja nl pl pt ru zh");
  const inOneLanguage = questions.filter(({ document_language }) => document_language === undefined);
  for (const each of languages) {
    const count = inOneLanguage.filter(({ language }) => language === each).length;
    assert(count >= (each === "en" ? 60 : 10), `${each}: ${count}`);
  }
});

Deno.test("every question has one or two notes, in the language it declares", () => {
  const languageOf = new Map(documents.map(({ id, language }) => [id, language]));
  assertEquals(queries.length, questions.length);
  for (const [index, { id, judgements }] of queries.entries()) {
    assert(judgements.size === 1 || judgements.size === 2, id);
    const { language, document_language } = questions[index]!;
    for (const note of judgements.keys()) {
      assertEquals(languageOf.get(note), document_language ?? language, id);
    }
  }
});

Deno.test("no question shares a word stem with its notes", () => {
  const textOf = new Map(documents.map(({ id, text }) => [id, text]));
  const shared = queries.flatMap(({ id, text, judgements }) =>
    [...judgements.keys()].flatMap((note) =>
      contentWords(text).flatMap((a) =>
        contentWords(textOf.get(note) ?? "").filter((b) => mayShareStem(a, b)).map((b) =>
          `${id}: ${a} / ${b}`
        )
      )
    )
  );
  assertEquals(shared, []);
});

import { assert } from "@std/assert";
import { stems } from "../../../../src/analysis/mod.ts";
import { type Random, seededRandom } from "../../../support/random.ts";
import { memoryCorpus, search } from "./corpus.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const WORDS = 300;
const MIN_SHARE = 0.95;

/** Inserts, deletes, substitutes or transposes a letter at any position, the first one too. */
function misspell(word: string, { int, pick }: Random): string {
  const at = int(word.length);
  const [before, current = "", after] = [word.slice(0, at), word[at], word.slice(at + 1)];
  const letter = pick([...LETTERS]);
  return pick([
    before + letter + current + after,
    before + after,
    before + letter + after,
    before + after.slice(0, 1) + current + after.slice(1),
  ]);
}

Deno.test("words with one random mistake find texts with the word", async () => {
  const random = seededRandom(11);
  const files = await Array.fromAsync(Deno.readDir("docs"), ({ name }) => `docs/${name}`);
  const documents = files.filter((name) => name.endsWith(".md")).sort().map((name) =>
    Deno.readTextFile(name)
  );
  const paragraphs = (await Promise.all(documents)).flatMap((text) => text.split("\n\n"));
  const { db } = memoryCorpus(paragraphs.map((text) => ({ title: "", chunks: [text] })));
  const vocabulary = new Set(paragraphs.join("\n").toLowerCase().match(/[a-z]+/g));
  const words = [...vocabulary].filter(({ length }) => length >= 6 && length <= 14).sort();
  const missed: string[] = [];
  for (let tried = 0; tried < WORDS;) {
    const word = random.pick(words);
    const query = misspell(word, random);
    if (vocabulary.has(query)) continue;
    tried++;
    const { results } = await search(db, { query, mode: "fts", top: 10, detail: "chunk" });
    const [stem] = stems([word]).flat();
    const found = results.some(({ text }) =>
      stems(text.toLowerCase().match(/[a-z]+/g) ?? []).flat().includes(stem ?? "")
    );
    if (!found) missed.push(`${query} (${word})`);
  }
  db.close();
  assert(missed.length <= (1 - MIN_SHARE) * WORDS, `${missed.length} missed: ${missed.join(", ")}`);
});

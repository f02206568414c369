import { assert, assertEquals } from "@std/assert";
import { chunkText } from "../../../src/extraction/chunking/chunk.ts";
import { splitText } from "../../../src/extraction/chunking/split.ts";

function split(text: string): string[] {
  const range = { start: 0, end: text.length };
  const segments = splitText(text, range, { maxWeight: 10_000, granularity: "sentence" });
  return [...segments].map(({ start, end }) => text.slice(start, end));
}

const SENTENCES: [language: string, sentences: string[]][] = [
  ["English", [
    "Dr. Smith met J. R. Miller at 3.30 p.m. near St. Mary.",
    "See Fig. 3 and pp. 12–14, e.g. this.",
    "Why?",
  ]],
  ["quotations", ["He said: “Go.”", "(She went.)", "**Bold ends.**", "Next"]],
  ["German", ["Am 3. Oktober kam z. B. Dr. Weber vgl. Nr. 4 an.", "Es war schön!", "Ende"]],
  ["French", ["M. Dupont et Mme. Curie sont là.", "« Où ? »", "Élan"]],
  ["Spanish", ["El Sr. García llegó.", "¿Quién es?", "¡Mira!"]],
  ["Russian", ["Он жил на ул. Ленина и т.д. всегда.", "Потом уехал."]],
  ["Japanese", ["水をやる。", "「はい。」", "土を替える！", "なぜ？"]],
  ["Chinese", ["他来了。", "为什么？", "好！"]],
  ["Arabic", ["ذهب الولد إلى المدرسة.", "أين الكتاب؟", "هنا"]],
  ["Hindi", ["यह एक वाक्य है।", "यह दूसरा है॥", "अंत"]],
  ["numbers", ["The thing has property 5.", "Version 1.2.3 is new.", "No. 5 is best."]],
  ["list items", ["Things:", "- one", "- two. Three"].flatMap((line) => line.split(/(?<=two\.) /))],
];

for (const [name, sentences] of SENTENCES) {
  Deno.test(`splitText finds the sentences of ${name}`, () => {
    const glue = name === "Japanese" || name === "Chinese" ? "" : name === "list items" ? "\n" : " ";
    assertEquals(split(sentences.join(glue)), sentences);
  });
}

for (const [overlapTokens, start] of [[24, /^The quick/], [12, /^(?:The quick|\w+ )/]] as const) {
  const what = overlapTokens === 24 ? "a sentence that fits" : "a word of a longer sentence";
  Deno.test(`chunkText starts the overlap at ${what}, and ends chunks at sentences`, () => {
    const sentence = "The quick brown fox of the long fable jumps over the lazy dog and then sleeps. ";
    const text = sentence.repeat(30);
    const chunks = chunkText({ text, markup: "plain", pageStarts: undefined }, {
      maxTokens: 64,
      overlapTokens,
    });
    assert(chunks.length > 5);
    for (const [index, one] of chunks.entries()) {
      assert(start.test(one.text) && one.text.endsWith("sleeps."), one.text);
      const previous = chunks[index - 1];
      assert(previous === undefined || one.charStart < previous.charEnd, "it must overlap");
    }
  });
}

Deno.test("chunkText cuts a sentence of several chunks at its commas and semicolons", () => {
  for (const clause of ["a clause of the contract; ", "a clause, ", "条文の一部、"]) {
    const text = clause.repeat(200);
    const chunks = chunkText({ text, markup: "plain", pageStarts: undefined }, {
      maxTokens: 64,
      overlapTokens: 0,
    });
    assert(chunks.length > 5);
    for (const one of chunks) {
      assert(one.text.startsWith(clause.trim()) && /[;,、]$/.test(one.text), one.text);
    }
  }
});

Deno.test("chunkText keeps a list whole if it fits into a chunk", () => {
  for (const glue of ["\n", "\n\n"]) {
    const list = [
      "- First thing. With two sentences.",
      "- Second thing",
      "  continues here.",
      "1. Third thing",
    ].join(glue);
    for (let count = 1; count < 9; count++) {
      const text = `${"This is a sentence. ".repeat(count)}\n${list}\n\n${"And a last one. ".repeat(12)}`;
      const chunks = chunkText(
        { text, markup: "markdown", pageStarts: undefined },
        { maxTokens: 64, overlapTokens: 12 },
      );
      assert(chunks.some((one) => one.text.includes(list)), `${count} sentences before`);
    }
  }
});

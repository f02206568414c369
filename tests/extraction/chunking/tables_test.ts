import { assert, assertEquals } from "@std/assert";
import { chunkText } from "../../../src/extraction/chunking/chunk.ts";
import { approximateTokens } from "../../../src/extraction/chunking/tokens.ts";
import type { ChunkDraft } from "../../../src/extraction/chunking/types.ts";

const SIZES = { maxTokens: 64, overlapTokens: 12 };
const HEADER = "| City | Population |\n| --- | ---: |\n";

function chunk(text: string): ChunkDraft[] {
  const chunks = chunkText({ text, markup: "markdown", pageStarts: undefined }, SIZES);
  for (const { text: own, repeatedChars = 0, charStart, charEnd } of chunks) {
    assertEquals(own.slice(repeatedChars), text.slice(charStart, charEnd));
    assert(approximateTokens(own) <= SIZES.maxTokens, own);
  }
  return chunks;
}

function rows(count: number): string {
  return Array.from({ length: count }, (_, i) => `| City number ${i} | ${i * 1000} |`).join("\n");
}

Deno.test("chunkText repeats the header rows in each chunk of a table", () => {
  const chunks = chunk(`# Cities\n\nSome cities.\n\n${HEADER}${rows(60)}\n\nThe end. Of the text.`);
  const inTable = chunks.filter(({ repeatedChars }) => repeatedChars);
  assert(inTable.length > 4);
  for (const { text, repeatedChars } of inTable) {
    assert(text.startsWith(`${HEADER}| City number`), text);
    assertEquals(repeatedChars, HEADER.length);
  }
  assert(chunks[0]!.text.startsWith(`# Cities\n\nSome cities.\n\n${HEADER}| City number 0 |`));
  assert(inTable.at(-1)!.text.includes("The end."), "text after the table continues the chunk");
});

Deno.test("chunkText never cuts or repeats a row", () => {
  const found = chunk(HEADER + rows(60)).flatMap(({ text }) => text.match(/^\| City number .*\|$/gm) ?? []);
  assertEquals(found, rows(60).split("\n"));
});

Deno.test("chunkText keeps a table whole if it fits into a chunk", () => {
  const table = HEADER + rows(5);
  for (let words = 1; words < 40; words += 6) {
    const chunks = chunk(`${"word ".repeat(words).trim()}.\n\n${table}\n\n${"Another sentence. ".repeat(9)}`);
    assert(chunks.some(({ text }) => text.includes(table)), `${words} words`);
  }
});

Deno.test("chunkText does not repeat a header of more than a third of a chunk", () => {
  const header = `| ${"name ".repeat(20)} |\n|---|\n`;
  const chunks = chunk(header + "| value |\n".repeat(60));
  assert(chunks.length > 2);
  assertEquals(chunks.map(({ repeatedChars = 0 }) => repeatedChars), chunks.map(() => 0));
});

Deno.test("chunkText cuts only rows that exceed a chunk", () => {
  const long = `| ${"Sentence of a long row. ".repeat(20)}|`;
  const almost = `| ${"x".repeat(220)} |`; // fits without the header
  const chunks = chunk(`${HEADER}| first |\n${almost}\n${long}\n| last |`);
  const whole = chunks.find(({ text }) => text.includes(almost));
  assertEquals([whole?.text.startsWith(almost), whole?.repeatedChars], [true, undefined]);
  for (const { text, repeatedChars } of chunks.slice(chunks.indexOf(whole!) + 1)) {
    assertEquals(repeatedChars, HEADER.length);
    assert(/^\|? ?(Sentence of a long row\.|\|\n)/.test(text.slice(HEADER.length)), text);
  }
});

Deno.test("chunkText cuts a long row at its sentences", () => {
  const text = `${HEADER}| ${"The city has a long name. ".repeat(40)}| 5 |`;
  for (const one of chunk(text)) assert(/(?:name\.|\|)$/.test(one.text), one.text);
});

const NO_TABLES: [what: string, text: string][] = [
  ["rows without a delimiter row", "| a | b |\n".repeat(80)],
  ["a delimiter row with another number of cells", `| a | b |\n|---|\n${"| a | b |\n".repeat(80)}`],
  ["a table in a fence", `\`\`\`\n${HEADER}${rows(40)}\n\`\`\``],
];

for (const [what, text] of NO_TABLES) {
  Deno.test(`chunkText repeats no header for ${what}`, () => {
    assert(chunk(text).every(({ repeatedChars }) => repeatedChars === undefined));
  });
}

Deno.test("chunkText recognizes tables without outer pipes and with escaped pipes", () => {
  const header = "a \\| b | c\n--- | :-:\n";
  const chunks = chunk(`Intro:\n${header}${"value | 1\n".repeat(80)}`);
  assert(chunks.length > 2);
  assert(chunks.slice(1).every(({ text }) => text.startsWith(`${header}value | 1`)));
});

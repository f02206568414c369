import { assert, assertEquals } from "@std/assert";
import { noteTitle } from "../../src/extraction/title.ts";
import { countReads } from "../support/count_reads.ts";

const CASES: [behaviour: string, text: string, title: string][] = [
  ["returns the first line", "Water the plants\nevery Monday", "Water the plants"],
  ["skips empty lines", "\n \t\r\n\nWater the plants", "Water the plants"],
  ["strips heading markers", "### Water the plants ###\n", "Water the plants"],
  ["keeps a hash that is part of a word", "#urgent C# build", "#urgent C# build"],
  ["strips list, quote and task markers", "> - [x] Water the plants", "Water the plants"],
  ["strips emphasis and code markers", "**Water** the `plants`", "Water the plants"],
  ["keeps the text of a link", "See [the plan](https://example.com/plan)", "See the plan"],
  ["keeps underscores inside words", "set __init__ and my_long_name", "set __init__ and my_long_name"],
  ["skips lines without letters or digits", "---\n```\nWater the plants", "Water the plants"],
  ["skips a fence that names a language", "```js\nconst tide = 1;\n```", "const tide = 1;"],
  ["skips a fence of tildes", "~~~ text\nWater the plants\n~~~", "Water the plants"],
  ["keeps a line that starts with inline code", "```tide``` is a word", "`tide` is a word"],
  ["falls back to a fence", "~~~js\n~~~", "~~~js"],
  ["falls back to a line without letters or digits", "\n!!!\n???", "!!!"],
  ["skips an empty heading", "#\n# Plants", "Plants"],
  ["replaces control characters by spaces", "Water\u0000the\tplants\r\n", "Water the plants"],
  ["returns an empty title for white space", " \n\t\n", ""],
  [
    "truncates at a word boundary",
    "The quick brown fox jumps over the lazy dog while the other animals of the forest watch it",
    "The quick brown fox jumps over the lazy dog while the other animals of the…",
  ],
  ["truncates text without spaces", "漢".repeat(100), "漢".repeat(79) + "…"],
];

for (const [behaviour, text, title] of CASES) {
  Deno.test(`noteTitle ${behaviour}`, () => assertEquals(noteTitle(text), title));
}

Deno.test("noteTitle never splits a surrogate pair and never exceeds 80 characters", () => {
  for (let lead = 0; lead < 90; lead++) {
    const title = noteTitle("a".repeat(lead) + "😀".repeat(100));
    assert(title.isWellFormed());
    assertEquals(Array.from(title).length, 80);
  }
});

const LONG_TEXTS = [
  "# " + "a b ".repeat(1_000_000),
  "-".repeat(4_000_000),
  "> ".repeat(1_000_000),
  "\n".repeat(4_000_000) + "-\n".repeat(1_000_000),
];
for (const text of LONG_TEXTS) {
  Deno.test(`noteTitle reads a long text at most twice: ${JSON.stringify(text.slice(0, 8))}…`, () => {
    assert(countReads(() => noteTitle(text), 2 * text.length) > 0);
  });
}

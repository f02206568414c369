import { assert, assertEquals } from "@std/assert";
import { noteTitle } from "../../src/extraction/title.ts";

const CASES: [behaviour: string, text: string, title: string][] = [
  ["takes the first line", "Water the plants\nevery Monday", "Water the plants"],
  ["skips empty lines", "\n \t\r\n\nWater the plants", "Water the plants"],
  ["strips heading marks", "### Water the plants ###\n", "Water the plants"],
  ["keeps a hash that is part of a word", "#urgent C# build", "#urgent C# build"],
  ["strips list, quote and task marks", "> - [x] Water the plants", "Water the plants"],
  ["strips emphasis and code marks", "**Water** the `plants`", "Water the plants"],
  ["keeps the words of a link", "See [the plan](https://example.com/plan)", "See the plan"],
  ["keeps underscores inside words", "set __init__ and my_long_name", "set __init__ and my_long_name"],
  ["skips lines without words", "---\n```\nWater the plants", "Water the plants"],
  ["skips a fence that names a language", "```js\nconst tide = 1;\n```", "const tide = 1;"],
  ["skips a fence of tildes", "~~~ text\nWater the plants\n~~~", "Water the plants"],
  ["keeps a line that only begins with code", "```tide``` is a word", "`tide` is a word"],
  ["takes a fence if there is nothing else", "~~~js\n~~~", "~~~js"],
  ["takes a line without words if there is nothing else", "\n!!!\n???", "!!!"],
  ["skips an empty heading", "#\n# Plants", "Plants"],
  ["turns control characters into spaces", "Water\u0000the\tplants\r\n", "Water the plants"],
  ["is empty for white space", " \n\t\n", ""],
  [
    "cuts at a word boundary",
    "The quick brown fox jumps over the lazy dog while the other animals of the forest watch it",
    "The quick brown fox jumps over the lazy dog while the other animals of the…",
  ],
  ["cuts text without spaces", "漢".repeat(100), "漢".repeat(79) + "…"],
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

Deno.test("noteTitle reads no more of a long line than it needs", () => {
  const started = performance.now();
  noteTitle("# " + "a b ".repeat(1_000_000));
  noteTitle("-".repeat(4_000_000));
  noteTitle("> ".repeat(1_000_000));
  noteTitle("\n".repeat(4_000_000) + "-\n".repeat(1_000_000));
  assert(performance.now() - started < 500);
});

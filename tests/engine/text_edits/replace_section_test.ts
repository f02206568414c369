import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { KnowledgeBaseError } from "../../../src/engine/knowledge_base/mod.ts";
import { editText } from "../../../src/engine/text_edits/mod.ts";
import { seededRandom } from "../../support/random.ts";

function edited(note: string, heading: string, text: string): string {
  return editText(note, { section: { heading, text } }).text;
}

function message(note: string, heading: string, text = "x"): string {
  const error = assertThrows(() => edited(note, heading, text), KnowledgeBaseError);
  assertEquals(error.code, "invalid");
  return error.message;
}

Deno.test("the text under a heading is replaced up to the next heading of its level or above", () => {
  const note = "# Trip\n\nIntro\n\n## Plan\n\nold\n\n### Detail\n\ngone\n\n## Costs\n\n10 EUR\n";
  assertEquals(
    edited(note, "Plan", "new"),
    "# Trip\n\nIntro\n\n## Plan\n\nnew\n\n## Costs\n\n10 EUR\n",
  );
  assertEquals(
    edited(note, "## Costs", "\n\n20 EUR\n\n"),
    note.replace("10", "20"),
  );
  assertEquals(edited(note, "### Detail", "kept"), note.replace("gone", "kept"));
  assertEquals(edited(note, "Trip", "all new"), "# Trip\n\nall new\n");
});

Deno.test("the white space around a section stays", () => {
  assertEquals(edited("# A\na\n# B\nb", "A", "x"), "# A\nx\n# B\nb");
  assertEquals(edited("# A\na\n# B\nb", "B", "x"), "# A\na\n# B\nx");
  assertEquals(edited("# A\n# B", "A", "x"), "# A\n\nx\n\n# B");
  assertEquals(edited("# A", "A", "x"), "# A\n\nx");
  assertEquals(edited("# A\n\na\n\n\n# B", "A", "x"), "# A\n\nx\n\n\n# B");
  assertEquals(edited("# A\n\n    code\n\n# B", "A", "x"), "# A\n\nx\n\n# B");
  assertEquals(edited("# A\n\na", "A", "    code"), "# A\n\n    code");
});

Deno.test("a blank text empties a section", () => {
  assertEquals(edited("# A\n\na\n\n# B\n\nb\n", "A", " \n"), "# A\n\n# B\n\nb\n");
  assertEquals(edited("# A\n\na\n\n# B\n\nb\n", "B", ""), "# A\n\na\n\n# B\n");
});

Deno.test("a text that repeats the heading does not double it", () => {
  assertEquals(edited("# A\n\na", "A", "# A\n\nx"), "# A\n\nx");
  assertEquals(edited("# A\n\na", "A", "## A\n\nx"), "# A\n\n## A\n\nx");
});

Deno.test("underlined headings are headings, and stay apart from the text before them", () => {
  const note = "Title\n=====\n\nold\n\nNext\n----\n\nb";
  assertEquals(edited(note, "Next", "x"), "Title\n=====\n\nold\n\nNext\n----\n\nx");
  assertEquals(edited("# A\n```\ncode\n```\nB\n===\nb", "A", "x"), "# A\nx\n\nB\n===\nb");
});

Deno.test("lines in code fences are not headings", () => {
  const note = "# A\n\n```sh\n# comment\n```\n\n# B\n\nb";
  assertEquals(edited(note, "A", "x"), "# A\n\nx\n\n# B\n\nb");
  assertStringIncludes(message(note, "comment"), "is not in the note");
  assertStringIncludes(message(note, "A", "```\nopen"), 'swallow the next heading "B"');
});

Deno.test("a heading is found by its text, with marks, or with its parents", () => {
  const note =
    "# Plan\n\n## Risks\n\na\n\n# Trip\n\n## Risks\n\nb\n\n### **Rain** and `wind` ###\n\nc\n\n# C#\n\nd";
  assertEquals(edited(note, "Trip > Risks", "x"), note.replace(/b\n\n.*\n\nc/, "x"));
  for (
    const name of [
      "**Rain** and `wind`",
      "Rain and wind",
      "### Rain and wind",
      " ### **Rain** and `wind` ### ",
    ]
  ) {
    assertEquals(edited(note, name, "x"), note.replace("\nc\n", "\nx\n"));
  }
  assertEquals(edited(note, "C#", "x"), note.replace(/d$/, "x"));
  assertEquals(edited("# A > B\n\na", "A > B", "x"), "# A > B\n\nx");
});

Deno.test("a missing heading is reported with those of the note", () => {
  assertEquals(
    message("# A\n\n## B\n\nb", "C"),
    'section.heading "C" is not in the note. Nothing was changed. Its headings are "# A", "## B"',
  );
  assertStringIncludes(message("# A", "## A"), '"# A"');
  assertStringIncludes(message("plain", "A"), "no headings: use replace, append or prepend");
  const many = Array.from({ length: 40 }, (_, i) => `# ${"long heading ".repeat(9)}${i}`).join("\n");
  const text = message(many, "A");
  assertStringIncludes(text, "and 30 more");
  assertEquals(text.length < 700, true);
});

Deno.test("an ambiguous heading is reported with a way to name it", () => {
  const twice = "# A\n\n## Notes\n\n# B\n\n## Notes";
  assertEquals(
    message(twice, "Notes"),
    'section.heading must match one heading, got 2 (lines 3, 7): name its parents, too, as in "A > Notes". ' +
      "Nothing was changed",
  );
  assertStringIncludes(message("# A\n\n# A", "A"), "use replace with a passage");
  assertStringIncludes(message("# A\n\n### A\n\n## A", "A"), "(lines 1, 3, 5)");
});

Deno.test("random sections change alone", () => {
  const random = seededRandom(7);
  const bodies = ["text", "- a\n- b", "```\n# no\n```", "    # code", "> quote", "", "| a | b |"];
  for (let round = 0; round < 300; round++) {
    const sections = Array.from({ length: 1 + random.int(6) }, (_, i) => {
      const isAtx = random.int(3) > 0;
      const level = isAtx ? 1 + random.int(4) : 1 + random.int(2);
      const heading = isAtx ? `${"#".repeat(level)} Head ${i}` : `Head ${i}\n${level === 1 ? "===" : "---"}`;
      return { level, heading, body: random.pick(bodies) };
    });
    const print = (list: typeof sections) =>
      list.map(({ heading, body }) => body === "" ? heading : `${heading}\n\n${body}`).join("\n\n");
    const index = random.int(sections.length);
    const { level, heading } = sections[index]!;
    const next = sections.findIndex((each, i) => i > index && each.level <= level);
    const body = random.pick(bodies);
    const expected = [
      ...sections.slice(0, index),
      { level, heading, body: body.trim() === "" ? "" : body },
      ...sections.slice(next < 0 ? sections.length : next),
    ];
    assertEquals(edited(print(sections), `Head ${index}`, body), print(expected));
  }
});

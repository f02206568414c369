import { assertEquals, assertThrows } from "@std/assert";
import { KnowledgeBaseError } from "../../../src/engine/knowledge_base/mod.ts";
import { editText, excerpts, type TextEdits } from "../../../src/engine/text_edits/mod.ts";
import { seededRandom } from "../../support/random.ts";

function edited(text: string, edits: TextEdits): string {
  return editText(text, edits).text;
}

function message(text: string, edits: TextEdits): string {
  const error = assertThrows(() => editText(text, edits), KnowledgeBaseError);
  assertEquals(error.code, "invalid");
  return error.message;
}

Deno.test("append and prepend add whole lines", () => {
  const cases: [text: string, edits: TextEdits, expected: string][] = [
    ["one", { append: "two" }, "one\ntwo"],
    ["one\n", { append: "two" }, "one\ntwo"],
    ["one\n", { append: "two\n" }, "one\ntwo\n"],
    ["one\n\n", { append: "two" }, "one\n\ntwo"],
    ["one", { append: "\ntwo" }, "one\n\ntwo"],
    ["two", { prepend: "one" }, "one\ntwo"],
    ["two", { prepend: "one\n" }, "one\ntwo"],
    ["two", { prepend: "one\n\n" }, "one\n\ntwo"],
    ["two", { prepend: "one", append: "three" }, "one\ntwo\nthree"],
    ["two", { append: "windows\r\nline" }, "two\nwindows\nline"],
  ];
  for (const [text, edits, expected] of cases) assertEquals(edited(text, edits), expected);
});

Deno.test("replace changes the only occurrence of a passage", () => {
  assertEquals(edited("a b c", { replace: { old: "b", new: "B" } }), "a B c");
  assertEquals(edited("a\nb\nc", { replace: { old: "a\r\nb", new: "x\r\ny" } }), "x\ny\nc");
  assertEquals(edited("a b c", { replace: { old: " b", new: "" } }), "a c");
  assertEquals(edited("a b", { replace: { old: "b", new: "$& $1" } }), "a $& $1");
});

Deno.test("replace finds decomposed characters, and composes at its borders", () => {
  assertEquals(edited("the café", { replace: { old: "cafe\u0301", new: "bar" } }), "the bar");
  assertEquals(edited("the cafX", { replace: { old: "X", new: "e\u0301" } }), "the café");
  assertEquals(edited("the cafeX", { replace: { old: "X", new: "\u0301" } }), "the café");
});

Deno.test("a passage that is not in the note is reported with the closest line", () => {
  const note = "# Plants\n\nWater the ferns on Monday.\nFeed the cat.";
  assertEquals(
    message(note, { replace: { old: "water the ferns on Tuesday", new: "" } }),
    'replace.old is not in the note. The closest line is line 3: "Water the ferns on Monday.". ' +
      "Copy the passage exactly. Nothing was changed",
  );
  assertEquals(
    message(note, { replace: { old: "Feed the cat.\nWater the ferns on monday.", new: "" } }).includes(
      "line 3",
    ),
    true,
  );
  assertEquals(
    message(note, { replace: { old: "quantum", new: "" } }),
    "replace.old is not in the note. Read the note with kb_get and copy the passage exactly, with its line " +
      "breaks and marks. Nothing was changed",
  );
  assertEquals(message("a\nb", { replace: { old: "\n\n", new: "" } }).startsWith("replace.old is not"), true);
});

Deno.test("a passage that occurs several times is reported with its lines", () => {
  const many = (text: string, old: string) => message(text, { replace: { old, new: "" } });
  assertEquals(
    many("on\noff\non", "on"),
    "replace.old must match one passage, got 2 (from line 1, 3): include more of the text around it. " +
      "Nothing was changed",
  );
  assertEquals(many("aaa", "aa").includes("got 2 "), true);
  assertEquals(many("a".repeat(1000), "a").includes("got at least 100 "), true);
});

Deno.test("repetitive passages are searched in linear time, not for minutes", () => {
  const as = "a".repeat(250_000);
  assertEquals(
    message(as + as + as, { replace: { old: `${as}b${as}`, new: "" } }).slice(0, 28),
    "replace.old is not in the no",
  );
  const lines = "bb\n".repeat(250_000);
  message("ab ".repeat(250_000) + "bb", { replace: { old: lines, new: "" } });
});

Deno.test("passages that overlap are all counted", () => {
  const count = (text: string, old: string) =>
    /got (\d+)/.exec(message(text, { replace: { old, new: "" } }))?.[1];
  assertEquals(count("ababab", "abab"), "2");
  assertEquals(count("aabaabaaab", "aab"), "3");
  assertEquals(edited("abacabab", { replace: { old: "abab", new: "!" } }), "abac!");
});

Deno.test("an edit is applied after the previous one, or not at all", () => {
  assertEquals(
    edited("old", { replace: { old: "old", new: "# New\n\nx" }, section: { heading: "New", text: "y" } }),
    "# New\n\ny",
  );
  message("a", { append: "b", replace: { old: "b", new: "c" } });
});

Deno.test("excerpts have the changed lines with their neighbors", () => {
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`).join("\n");
  assertEquals(excerpts(editText(lines, { replace: { old: "line 7", new: "seven" } })), [
    { line: 6, text: "line 6\nseven\nline 8" },
  ]);
  assertEquals(excerpts(editText(lines, { prepend: "top", append: "end" })), [
    { line: 1, text: "top\nline 1" },
    { line: 21, text: "line 20\nend" },
  ]);
  assertEquals(excerpts(editText("a\nb\nc", { replace: { old: "b\n", new: "" } })), [
    { line: 1, text: "a\nc" },
  ]);
  const [long] = excerpts(editText("", { append: "x".repeat(5000) }));
  assertEquals(long?.text.length, 803);
});

Deno.test("random edits change the passage only, and report every change", () => {
  const random = seededRandom(12);
  const pieces = ["alpha", "beta", "é", "e\u0301", "\n", " ", "\r\n", "😀", "- item", "# Head\n"];
  const sample = (length: number) => Array.from({ length }, () => random.pick(pieces)).join("");
  for (let round = 0; round < 500; round++) {
    const before = sample(random.int(6)).replaceAll("\r\n", "\n").normalize("NFC");
    const after = sample(random.int(6)).replaceAll("\r\n", "\n").normalize("NFC");
    const passage = `passage ${round}`;
    const replacement = `<${sample(1 + random.int(4))}>`;
    const shown = replacement.replaceAll("\r\n", "\n").normalize("NFC");
    const result = editText(before + passage + after, {
      replace: { old: passage, new: replacement },
      ...(random.int(2) === 0 && { append: "the end" }),
      ...(random.int(2) === 0 && { prepend: "the start" }),
    });
    assertEquals(result.text.split(before + shown + after).length, 2);
    // What the ranges leave out is in the original, in order.
    let rest = before + passage + after;
    let at = 0;
    for (const { start, end } of [...result.changed, { start: result.text.length, end: 0 }]) {
      const kept = result.text.slice(at, start);
      const found = rest.indexOf(kept);
      assertEquals(found >= 0, true);
      rest = rest.slice(found + kept.length);
      at = end;
    }
  }
});

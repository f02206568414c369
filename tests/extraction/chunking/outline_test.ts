import { assert, assertEquals } from "@std/assert";
import { chunkText } from "../../../src/extraction/chunking/chunk.ts";
import type { ChunkDraft } from "../../../src/extraction/chunking/types.ts";
import type { DocType } from "../../../src/contract/mod.ts";
import type { OutlineEntry } from "../../../src/extraction/mod.ts";

const SIZES = { maxTokens: 64, overlapTokens: 12 };

/** Joins parts; those with a title are entries of the outline. */
function chunk(docType: DocType, parts: [level: number, title: string, text: string][]): ChunkDraft[] {
  let text = "";
  const outline: OutlineEntry[] = [];
  for (const [level, title, part] of parts) {
    if (title !== "") outline.push({ start: text.length, level, title });
    text += part;
  }
  return chunkText({ text, markup: "plain", pageStarts: undefined, outline, docType }, SIZES);
}

function method(name: string, lines: number): string {
  return `  ${name}() {\n${`    this.call("${name}");\n`.repeat(lines)}  }\n\n`;
}

Deno.test("chunkText takes the entries of an outline for headings", () => {
  const chunks = chunk("rst", [
    [0, "", `${"Preface of the book. ".repeat(12)}\n\n`],
    [1, "Garden", `Garden\n======\n\n${"The garden is green. ".repeat(12)}\n\n`],
    [2, "Ferns", `Ferns\n-----\n\n${"Ferns need water. ".repeat(12)}\n\n`],
    [1, "House", `House\n=====\n\n${"The house is red. ".repeat(12)}`],
  ]);
  const paths = chunks.map(({ headingPath }) => headingPath.join(" > "));
  assertEquals([...new Set(paths)], ["", "Garden", "Garden > Ferns", "House"]);
  for (const { headingPath, text } of chunks.filter(({ headingPath }) => headingPath.length > 0)) {
    assert(text.startsWith(headingPath.at(-1)!) || / is |need/.test(text.slice(0, 20)), text);
  }
});

Deno.test("chunkText cuts no function and no class that fits into a chunk", () => {
  const parts: [number, string, string][] = [
    [0, "", `import { call } from "./call.ts";\n\n`],
    [1, "Small", "class Small {\n"],
    [2, "one", method("one", 4)],
    [2, "two", `${method("two", 3)}}\n\n`],
    [1, "Large", "class Large {\n  /** Doc. */\n"],
    ...["a", "b", "c", "d"].map((name): [number, string, string] => [2, name, method(name, 6)]),
    [1, "last", `}\n\n${method("last", 5)}`],
  ];
  const chunks = chunk("code", parts);
  const small = parts.slice(1, 4).map(([, , text]) => text).join("").trim();
  assert(chunks.some(({ text }) => text.includes(small)));
  for (const [, name, text] of parts.slice(5)) {
    assert(chunks.some((one) => one.text.includes(text.trim())), name);
  }
  assert(chunks.some(({ headingPath }) => headingPath.join() === "Large,c"));
});

Deno.test("chunkText splits a long function at its lines", () => {
  for (const { text, headingPath } of chunk("code", [[1, "long", method("long", 60)]])) {
    assertEquals(headingPath, ["long"]);
    assert(/^(long\(\) \{|this\.call|\})/.test(text) && /[;}]$/.test(text), text);
  }
});

Deno.test("chunkText accepts an outline with wrong offsets and levels", () => {
  const text = "word ".repeat(200);
  const outline = [[50, 9], [50, 0], [20, 2], [9_000, 1]].map(([start, level]) => ({
    start: start!,
    level: level!,
    title: "entry",
  }));
  const chunks = chunkText({ text, markup: "plain", pageStarts: undefined, outline }, SIZES);
  let covered = 0;
  for (const { charStart, charEnd } of chunks) {
    assertEquals(text.slice(covered, Math.max(covered, charStart)).trim(), "");
    covered = charEnd;
  }
  assertEquals(text.slice(covered).trim(), "");
});

Deno.test("the messages of a mailbox share no chunk, unless there are more than 10,000", () => {
  const mailbox = (messages: number) =>
    chunk("email", Array.from({ length: messages }, () => [1, "Tea", "Tea\n\nAt five.\n\n"]));
  assertEquals(mailbox(3).length, 3);
  const chunks = mailbox(10_001).length;
  assert(chunks < 5_000, `${chunks} chunks`);
});

import { assertEquals } from "@std/assert";
import { loadFrontMatter, readFrontMatterSync } from "../../src/extraction/front_matter.ts";
import { repairFrontMatter } from "../../src/extraction/repair_front_matter.ts";

const REPAIRED: [what: string, lines: string, metadata: Record<string, unknown>][] = [
  ["a colon in a title", "title: Deploy: a guide\ntags: [a, b]", {
    title: "Deploy: a guide",
    tags: ["a", "b"],
  }],
  ["tabs as indentation", "title: T\ntags:\n\t- one\n\t- two", { title: "T", tags: ["one", "two"] }],
  ["a duplicate key", "title: One\ntitle: Two\nn: 1", { title: "Two", n: 1 }],
  ["a missing quotation mark", 'title: "Open\ntags: x', { title: "Open", tags: "x" }],
  ["a missing bracket", "title: T\ntags: [a, b\nday: 2024-05-01", {
    title: "T",
    tags: ["a", "b"],
    day: "2024-05-01",
  }],
  ["reserved characters", "title: @home\nby: `me`\nq: %x", { title: "@home", by: "`me`", q: "%x" }],
  ["a link as a title", "title: [[Link]] notes", { title: "[[Link]] notes" }],
  ["a colon in a list", "tags:\n- a: b: c\n- d", { tags: ["a: b: c", "d"] }],
  ["hash signs", "title: A: b\ntags: #x, #y", { title: "A: b", tags: "#x, #y" }],
  ["text below a key", "title: A: b\n  and c", { title: "A: b and c" }],
  ["comments and empty values", "# x\ntitle: A: b\n\nempty:\n# y\nnone: ~", {
    title: "A: b",
    empty: null,
    none: null,
  }],
  ["nested fields next to it", "title: A: b\nmap:\n  x: 1\n  y: [2]", {
    title: "A: b",
    map: { x: 1, y: [2] },
  }],
];

for (const [what, lines, metadata] of REPAIRED) {
  Deno.test(`repairFrontMatter reads ${what}`, async () => {
    const text = `---\n${lines}\n---\nBody\n`;
    await loadFrontMatter();
    assertEquals(readFrontMatterSync(text), undefined);
    assertEquals(await repairFrontMatter(text), { metadata, body: "\nBody\n" });
  });
}

const TEXT: [what: string, text: string][] = [
  ["plain Markdown", "# Title: a: b\n"],
  ["a block without an end", "---\ntitle: a: b\n\nText.\n"],
  ["a sentence between two thematic breaks", "---\nNote: this: a sentence.\n---\n"],
  ["a paragraph below a title", "---\ntitle: a: b\nA sentence.\n---\n"],
  ["text before the first field", "---\n- x\ntitle: a: b\n---\n"],
  ["too many fields", `---\ntitle: a: b\n${"n: 1\n".repeat(100)}---\n`],
  ["a long value that is not valid", `---\ntitle: a\nb: ${"[".repeat(3000)}\n---\n`],
];

for (const [what, text] of TEXT) {
  Deno.test(`repairFrontMatter treats ${what} as text`, async () => {
    assertEquals(await repairFrontMatter(text), undefined);
  });
}

Deno.test("repairFrontMatter sets no prototypes", async () => {
  const found = await repairFrontMatter("---\ntitle: a: b\n__proto__: {evil: true}\n---\n");
  assertEquals((found!.metadata as { evil?: boolean }).evil, undefined);
});

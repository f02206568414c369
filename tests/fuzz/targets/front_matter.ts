import { assert, assertEquals } from "@std/assert";
import { frontMatterTags, readFrontMatter } from "../../../src/extraction/front_matter.ts";
import type { Random } from "../../support/random.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

/** Maximum size of the metadata, as JSON, per character of the front matter: aliases repeat values. */
const MAX_GROWTH = 64;

const KEYS = ["title", "tags", "__proto__", "constructor", "toString", "? a", '"q: "', "é", "<<", "1", "a b"];
const VALUES = [
  ...[
    "x",
    "[a, b]",
    "{a: {b: c}}",
    "|\n  block\n  text",
    ">-\n  folded",
    "'single'",
    '"\\x41\\u202e"',
    "null",
    "~",
  ],
  ...[
    "!!binary YQ==",
    "!!js/function 'x'",
    "!tag v",
    "&a [1, 2]",
    "*a",
    "[*a, *a, *a]",
    "2026-01-01",
    ".inf",
    "0o17",
  ],
  ...["1e999", "- not\n- list", "# comment", "", "{", "]", "%TAG", "@"],
];

/**
 * Reading front matter never throws. The metadata is a JSON object of bounded size, prototypes stay untouched,
 * and the body is the end of the text.
 */
export const frontMatter: FuzzTarget = {
  name: "front_matter",
  iterations: 500,
  seeds: utf8([
    "---\ntitle: A\ntags: [x, y]\n---\nBody",
    "---\na: &a [1]\nb: *a\n...\nBody\n---\n",
    "---\n? complex\n: value\n---\n",
    "---\nnot yaml: [\n---\ntext",
    '+++\ntitle = "A"\ntags = ["x"]\nday = 2026-01-01\n[a.b]\nc = {d = inf}\n+++\nBody',
  ]),
  dictionary: utf8([
    "---\n",
    "...\n",
    "+++\n",
    " = ",
    "[[a]]\n",
    "\n",
    ": ",
    "- ",
    "&a ",
    "*a",
    "<<: *a",
    "!!str ",
    "|\n",
    "\t",
    "\0",
    "? ",
    "__proto__",
  ]),
  generate: (random) => utf8([generateFrontMatter(random)])[0]!,
  open: () => async (input) => {
    const text = new TextDecoder().decode(input);
    const found = await readFrontMatter(text);
    assertEquals(Object.keys(Object.prototype), []);
    if (!found) return;
    const { metadata, body } = found;
    assert(text.endsWith(body), "the body is the end of the text");
    assertEquals(JSON.parse(JSON.stringify(metadata)), metadata);
    const size = JSON.stringify(metadata).length;
    const maxSize = (text.length - body.length) * MAX_GROWTH;
    assert(size <= maxSize, `metadata of ${size} characters must have at most ${maxSize}`);
    const tags = frontMatterTags(metadata);
    assert(
      tags.length <= 64 && tags.every((tag) => typeof tag === "string" && tag.length <= 200),
      "valid tags",
    );
  },
};

function generateFrontMatter(random: Random): string {
  const lines = Array.from(
    { length: random.int(8) },
    () => `${random.pick(["", "", "  "])}${random.pick(KEYS)}: ${random.pick(VALUES)}\n`,
  );
  return `---${random.pick(["", " ", "x"])}\n${lines.join("")}${random.pick(["---", "...", ""])}\nBody`;
}

import { assertEquals } from "@std/assert";
import { LinkIndex } from "../../src/vault/link_index.ts";
import { linksOf, linkText, MAX_LINKS } from "../../src/vault/links.ts";
import { maskCode } from "../../src/vault/mask_code.ts";
import { documentFacts } from "../../src/vault/document.ts";
import { type Files, vaultOf } from "./read_fixture.ts";

const targets = (text: string) => linksOf(maskCode(text)).map(linkText);

Deno.test("wiki links have a target, an anchor and a text that does not count", () => {
  assertEquals(
    targets("[[A]] ![[b.png|100]] [[C#D|e]] [[#Here]] | [[F\\|in a table]] | [[]] [[|x]] [[a\nb]]"),
    [
      "[[A]]",
      "[[b.png]]",
      "[[C#D]]",
      "[[#Here]]",
      "[[F]]",
    ],
  );
});

Deno.test("Markdown links are decoded, and web addresses are left out", () => {
  const text =
    `[a](b.md) [c](<d e.md> "title") [f](g%20h.md#i%20j) [k](l_(m).md) [![n](o.png)](p.md) [q](r.md?s#t)
[u](https://a.example) [v](mailto:a@b.example) [w](//a.example/b) [x](#y) [z](100%.md)
<a class="x" href="../html.md">H</a> <a href='https://a.example'>I</a>
[ref]: ../defined.md "Title"
[^1]: note.md is the text of a footnote`;
  assertEquals(targets(text), [
    "b.md",
    "d e.md",
    "g h.md#i j",
    "l_(m).md",
    "o.png",
    "p.md",
    "r.md#t",
    "#y",
    "100%.md",
    "../defined.md",
    "../html.md",
  ]);
});

Deno.test("links and tags in code and comments are text", () => {
  const text =
    "`[[a]]` ``[[b]] ` [[c]]`` <!-- [[d]] -->\n```md\n[[e]]\n~~~\n[[f]]\n```\n[[kept]] ` unclosed [[too]]\n\n`";
  assertEquals(targets(text), ["[[kept]]", "[[too]]"]);
  assertEquals(targets("````\n```\n[[a]]\n````\n[[b]]"), ["[[b]]"]);
  assertEquals(
    documentFacts("#one `#two` a#three (#four/five) #6 # seven\n[x](#eight) ##nine").inlineTags,
    ["one", "four/five"],
  );
});

Deno.test("links in front matter count", () => {
  assertEquals(documentFacts("Text", { up: "[[A]]", related: ["[[B|b]]", 3], deep: { no: "[[C]]" } }).links, [
    { kind: "wiki", target: "A", anchor: "" },
    { kind: "wiki", target: "B", anchor: "" },
  ]);
});

async function resolver(files: Files, otherFiles: string[] = []) {
  const { documents } = await vaultOf(files);
  const index = new LinkIndex(documents, otherFiles);
  return (from: string, text: string) => {
    const target = index.resolve(from, linksOf(text)[0]!);
    if (target.status !== "document") return target.status;
    return target.document.path + (target.anchorMissing ? " without the anchor" : "");
  };
}

Deno.test("a wiki link finds a path, a name in any folder, or an alias, in any case", async () => {
  const resolve = await resolver({
    "Projects/Plan.md": "---\naliases: [Roadmap, Route]\n---\ntext",
    "Archive/2025/Plan.md": "text",
    "Archive/Node.js.md": "text",
    "Cafe\u0301.md": "text",
  });
  assertEquals(resolve("a.md", "[[plan]]"), "Projects/Plan.md");
  assertEquals(resolve("a.md", "[[2025/Plan]]"), "Archive/2025/Plan.md");
  assertEquals(resolve("Archive/2025/b.md", "[[./Plan.md]]"), "Archive/2025/Plan.md");
  assertEquals(resolve("a.md", "[[/Projects/Plan]]"), "Projects/Plan.md");
  assertEquals(resolve("a.md", "[[route]]"), "Projects/Plan.md");
  assertEquals(resolve("a.md", "[[Node.js]]"), "Archive/Node.js.md");
  assertEquals(resolve("a.md", "[[CAF\u00c9]]"), "Cafe\u0301.md");
  assertEquals(resolve("a.md", "[[lan]]"), "missing");
  assertEquals(resolve("a.md", "![[photo.png]]"), "unchecked");
  assertEquals(resolve("a.md", "[[../../etc/passwd]]"), "outside");
});

Deno.test("a Markdown link finds a path, its folder's index page, or the source of a rendered page", async () => {
  const resolve = await resolver(
    { "guide/README.md": "text", "guide/a.md": "text", "index.md": "text", "raw/b.md": "text" },
    ["scans/c.pdf"],
  );
  assertEquals(resolve("guide/a.md", "[x](../index.md)"), "index.md");
  assertEquals(resolve("guide/a.md", "[x](/)"), "index.md");
  assertEquals(resolve("index.md", "[x](guide/)"), "guide/README.md");
  assertEquals(resolve("index.md", "[x](guide/a.html)"), "guide/a.md");
  assertEquals(resolve("index.md", "[x](guide/A)"), "guide/a.md");
  assertEquals(resolve("index.md", "[x](a.md)"), "missing");
  assertEquals(resolve("index.md", "[x](raw/)"), "unchecked");
  assertEquals(resolve("index.md", "[x](scans/c.pdf)"), "unchecked");
  assertEquals(resolve("index.md", "[x](data/table.csv)"), "unchecked");
  assertEquals(resolve("guide/a.md", "[x](../../a.md)"), "outside");
});

Deno.test("an anchor is a heading, a block or an id", async () => {
  const text =
    '# Set **up** it\n\nSetext\n---\nline ^block-1\n\n## With `code` {#custom}\n<a name="old"></a>\n## Twice\n## Twice';
  const resolve = await resolver({ "a.md": text });
  for (
    const anchor of [
      "set-up-it",
      "Set up it",
      "^block-1",
      "setext",
      "custom",
      "old",
      "twice-1",
      "A#Twice",
      "L10",
    ]
  ) {
    assertEquals(resolve("b.md", `[[a#${anchor}]]`), "a.md", anchor);
  }
  assertEquals(resolve("b.md", "[x](a.md#set-down)"), "a.md without the anchor");
  assertEquals(resolve("a.md", "[x](#set-down)"), "a.md without the anchor");
});

Deno.test("a file of 100,000 links, and texts that are hard to scan, take linear time", () => {
  assertEquals(
    documentFacts(Array.from({ length: 100_000 }, (_, n) => `[[page ${n}]]`).join(" ")).links.length,
    MAX_LINKS,
  );
  for (
    const part of [
      "[[",
      "](",
      "`",
      "](a(",
      "``` \n",
      "<a href=",
      "<!--",
      "[a]:",
      "#a/",
      "* * ",
      "^",
      "[[a|",
      "{#",
      "a\n",
    ]
  ) {
    documentFacts(part.repeat(100_000));
  }
  for (const part of [" ", "\t", "#", " #", "\n", "<!--"]) {
    const many = part.repeat(20_000);
    for (const text of [`# ${many}x`, `# x${many}y`, `[a](${many})`, `a\n=${many}x`]) documentFacts(text);
  }
  documentFacts(Array.from({ length: 1_000 }, (_, n) => "`".repeat(n)).join(" "));
});

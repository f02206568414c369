import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { extract, ExtractionError } from "../../../src/extraction/mod.ts";
import { parseBibtex } from "../../../src/extraction/references/bibtex.ts";
import type { ExtractedText } from "../../../src/extraction/types.ts";

async function read(content: string, filename = "a.bib"): Promise<ExtractedText> {
  const found = await extract({ bytes: new TextEncoder().encode(content), filename, contentType: undefined });
  assert(found);
  return found;
}

Deno.test("a BibTeX entry is a section with its authors, year and title, and a line for each field", async () => {
  const found = await read(String.raw`% A comment about @people.
@Article{knuth84,
  author = {Donald E. Knuth and Erd{\H o}s, P{\'a}l and {World Health Organization}},
  title = "{Literate} Programming: {\"U}ber {\ss} \& {\c c}",
  year = 1984, pages = {97--111}, url = {http://a.b/~x\_y},
  abstract = {One.

  Two {\emph words} of $x_1$.}, file = {:home/x.pdf:PDF},
}
`);
  assertEquals([found.docType, found.markup, found.metadata, found.warnings], [
    "bibliography",
    "markdown",
    { entries: 1 },
    [],
  ]);
  const title = "Knuth, Erdős and World Health Organization (1984): Literate Programming: Über ß & ç";
  assertEquals(found.title, title);
  assertEquals(
    found.text,
    `## ${title}\n\nAuthor: Donald E. Knuth; Erdős, Pál; World Health Organization\nPages: 97–111\n` +
      "URL: http://a.b/~x_y\nType: article\nKey: knuth84\n\nAbstract: One.\nTwo words of $x_1$.\n",
  );
});

Deno.test("BibTeX macros and # are joined, also in other macros, and unknown names stay", async () => {
  const { text } = await read(
    '@string{acm = "ACM"}\n@string(press = acm # { Press})\n' +
      '@book{a, publisher = PRESS # "!", month = may # "~12", series = unknown, year = 1999}\n',
  );
  assertStringIncludes(text, "Publisher: ACM Press!\nMonth: May 12\nSeries: unknown\n");
});

Deno.test("text that BibTeX macros add is limited", async () => {
  const doubled = Array.from({ length: 40 }, (_, i) => `@string{a${i + 1} = a${i} # a${i}}\n`).join("");
  const used = await read(`@string{a0 = "lol"}\n${doubled}@misc{x, note = a40}\n`);
  assertStringIncludes(used.text, "Note: a40");
  const long = `@string{a = "${"x".repeat(2000)}"}\n@misc{x, note = a${" # a".repeat(100_000)}}\n`;
  const { text } = await read(long);
  assert(text.length < 1_500_000, `${text.length}`);
});

Deno.test("a malformed BibTeX entry stays as it is and does not swallow the next one", async () => {
  const { text, warnings, title } = await read(
    "@book{broken, title = {Unclosed {brace},\n  year = 2000\n\n@misc{next, title = {Next}} @misc(third, title = {Third})\n" +
      "@book{junk, ,, = 5}\n",
  );
  assertEquals(
    text,
    "## broken\n\n```\n@book{broken, title = {Unclosed {brace},\n  year = 2000\n```\n\n" +
      "## Next\n\nType: misc\nKey: next\n\n## Third\n\nType: misc\nKey: third\n\n## junk\n\n```\n@book{junk, ,, = 5}\n```\n",
  );
  assertEquals([title, warnings], [
    undefined,
    ["2 of 4 entries could not be parsed, and stay as they are."],
  ]);
});

Deno.test("BibTeX comments and preambles are left out, with the entries in them", async () => {
  const { text } = await read(
    '@comment{\n@book{hidden, title = {Hidden}}\n}\n@comment{jabref-meta: x;}\n@preamble{"\\noop"}\n@comment open\n' +
      "@comment{open\n@misc{a, editor = {van der Berg, Jan and Ludwig van Beethoven}, date = {2020-05-01}}\n",
  );
  assertEquals(
    text,
    "## van der Berg and van Beethoven (2020): a\n\nEditor: van der Berg, Jan; Ludwig van Beethoven\n" +
      "Date: 2020-05-01\nType: misc\nKey: a\n",
  );
});

Deno.test("a .bib file without entries is plain text, a .txt file with entries a bibliography", async () => {
  const plain = await read("Write to ann@example.org {now}.\n");
  assertEquals([plain.docType, plain.text, plain.warnings?.length], [
    "text",
    "Write to ann@example.org {now}.\n",
    1,
  ]);
  assertEquals((await read("@book{a, title = {T}}\n", "refs.txt")).docType, "bibliography");
  assertEquals((await read("@book{a, title = {T}}\n", "refs.md")).docType, "markdown");
  assertEquals((await read("@media {x}\n", "refs.txt")).docType, "text");
});

Deno.test("BibTeX in another encoding is decoded", async () => {
  const bytes = Uint8Array.from(
    "@book{a, title = {Gr\xfc\xdfe aus M\xfcnchen f\xfcr alle Leser}}\n",
    (char) => char.charCodeAt(0),
  );
  const found = await extract({ bytes, filename: "a.bib", contentType: undefined });
  assertStringIncludes(found?.text ?? "", "Grüße aus München");
});

Deno.test("a RIS reference is a section", async () => {
  const { docType, text, metadata } = await read(
    "TY  - JOUR\r\nID  - s20\r\nAU  - Smith, John\r\nAU  - World Health Organization\r\nTI  - A title\r\n that continues\r\n" +
      "PY  - 2020/05/01/\r\nT2  - Nature\r\nSP  - 1\r\nEP  - 9\r\nKW  - a\r\nKW  - b\r\nAB  - One.\r\nTwo.\r\nZZ  - hidden\r\n" +
      "ER  - \r\n\r\nTY  - BOOK\r\nTI  - Other\r\nER  -\r\n",
    "export",
  );
  assertEquals([docType, metadata], ["bibliography", { entries: 2 }]);
  assertEquals(
    text,
    "## Smith and World Health Organization (2020): A title that continues\n\n" +
      "Author: Smith, John; World Health Organization\nIn: Nature\nKeywords: a; b\nPages: 1–9\nType: JOUR\nKey: s20\n\n" +
      "Abstract: One.\nTwo.\n\n## Other\n\nType: BOOK\n",
  );
});

Deno.test("hostile bibliographies of some hundred kilobytes are read in one pass", async () => {
  const marks = [
    "@a{",
    "@a{\n",
    "@comment{",
    "\n@comment{",
    "\n@comment(",
    "@a{b,c=",
    '\n@a{b,c="',
    "\n@a{b,c={",
    "@a{b,c=d#",
    "\n@string{a=a#a}",
    "{",
    "\\",
    "\\'{",
    "$",
    " and ",
    "@",
    "@ ",
    "\n@ a ",
    "\n \t",
    ",",
  ];
  for (const mark of marks) {
    const many = mark.repeat(200_000 / mark.length);
    for (
      const [text, name] of [
        [`@book{first, title = {First}}\n${many}\n@misc{x, author = {${many}`, "a.bib"],
        [`TY  - BOOK\nTI  - First\nAB  - ${many}`, "a.ris"],
      ] as const
    ) {
      try {
        assert((await read(text, name)).text.startsWith("## First\n"), mark);
      } catch (error) {
        // The headings of many malformed entries are longer than the entries.
        assert(error instanceof ExtractionError && error.code === "too_large", `${error}`);
      }
    }
  }
});

Deno.test("many entries on one line without a comma are read in one pass", () => {
  // Texts of characters of two bytes, in which a search for a character takes longer.
  const items = [...parseBibtex(`文\n${"@a{x}".repeat(300_000)}`)];
  assertEquals([items.length, items.at(-1)?.reference?.key], [300_000, "x"]);
});

import { assertEquals, assertRejects } from "@std/assert";
import { strToU8, zipSync } from "fflate";
import { ExtractionError } from "../../../src/extraction/errors.ts";
import type { ExtractedText } from "../../../src/extraction/types.ts";
import { extractDocument } from "../../support/extract_document.ts";

/** Reads an e-book with these chapters (content of their `body`), in this order. */
function read(chapters: Record<string, string>, extra: Record<string, string> = {}): Promise<ExtractedText> {
  const names = Object.keys(chapters);
  const files = {
    mimetype: "application/epub+zip",
    "META-INF/container.xml":
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>' +
      '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    "OPS/book.opf":
      '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">' +
      "<metadata><dc:title>Care of plants</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bo</dc:creator>" +
      "<dc:language>en</dc:language><dc:date>2024-05-01</dc:date></metadata><manifest>" +
      names.map((name) =>
        `<item id="${name}" href="${encodeURIComponent(name)}" media-type="application/xhtml+xml"/>`
      )
        .join("") +
      '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest><spine>' +
      `<itemref idref="nav"/>${names.map((name) => `<itemref idref="${name}"/>`).join("")}</spine></package>`,
    ...Object.fromEntries(names.map((name) => [
      `OPS/${name}`,
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${chapters[name]}</body></html>`,
    ])),
    ...extra,
  };
  const bytes = zipSync(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])),
  );
  return extractDocument({ bytes, filename: "a.epub", contentType: undefined });
}

Deno.test("epub: chapters follow the spine, with properties as metadata", async () => {
  const found = await read({
    "z 1.xhtml": "<h1>First</h1><p>One.</p>",
    "a.xhtml": "<h1>Second</h1><p>Two.</p>",
  });
  assertEquals(found.text, "Ann, Bo\n\n# First\n\nOne.\n\n# Second\n\nTwo.");
  assertEquals([found.docType, found.title], ["epub", "Care of plants"]);
  assertEquals(found.metadata, {
    title: "Care of plants",
    author: "Ann, Bo",
    language: "en",
    created: "2024-05-01",
  });
});

Deno.test("epub: the authors are added unless the first pages name them", async () => {
  const named = await read({ "a.xhtml": "<h1>Care</h1><p>by Bo and ANN</p>" });
  assertEquals(named.text, "# Care\n\nby Bo and ANN");
  const late = await read({ "a.xhtml": `<p>by Bo</p><p>${"Water. ".repeat(1000)}</p><p>Ann</p>` });
  assertEquals(late.text.slice(0, 16), "Ann, Bo\n\nby Bo\n\n");
});

Deno.test("epub: the table of contents is not text, but gives chapters without a heading theirs", async () => {
  const nav = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>' +
    '<nav epub:type="toc"><ol><li><a href="a.xhtml#x">Ferns</a></li><li><a href="b.xhtml">Moss</a></li></ol></nav></body></html>';
  const { text } = await read(
    {
      "a.xhtml": "<p>Ferns</p><p>Green.</p>",
      "b.xhtml": '<nav><p>skipped</p></nav><script src="a.js"/><p>Soft.</p>',
    },
    { "OPS/nav.xhtml": nav },
  );
  assertEquals(text, "Ann, Bo\n\n# Ferns\n\nGreen.\n\n# Moss\n\nSoft.");
});

Deno.test("epub: a book of pictures has no text, one without package document is damaged", async () => {
  const empty = await assertRejects(() => read({ "a.xhtml": '<img src="a.png"/>' }), ExtractionError);
  assertEquals(empty.code, "no_text");
  const broken = await assertRejects(
    () => read({ "a.xhtml": "<p>x</p>" }, { "OPS/book.opf": "<pack" }),
    ExtractionError,
  );
  assertEquals(broken.code, "damaged");
});

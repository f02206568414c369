/**
 * Documents with nested, repeated or expanding structures that ask a parser for far more than their size.
 *
 * @module
 */
import { strToU8, unzipSync, zipSync } from "fflate";
import { sampleEpub, sampleOds, sampleOdt, samplePptx, sampleXlsx } from "../support/sample_packages.ts";
import { sampleDocx } from "../support/samples.ts";
import type { HostileFile } from "./hostile_samples.ts";

const MiB = 2 ** 20;

/** Entities that expand to 3 GB ("billion laughs"), and one that reads a file. */
const ENTITIES = `<!DOCTYPE d [<!ENTITY a0 "${"lol".repeat(10)}">${
  Array.from({ length: 9 }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`).join("")
}<!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY url SYSTEM "http://127.0.0.1:9/">]>`;
const EXPANDED = "&a9;&file;&url;";
/** One long entity that is used often: quadratic without nesting. */
const LONG_ENTITY = `<!DOCTYPE d [<!ENTITY a "${"x".repeat(100_000)}">]>`;

/** Returns a ZIP package whose named part starts with a document type and uses its entities in each text. */
function withEntities(archive: Uint8Array, part: string): Uint8Array<ArrayBuffer> {
  const entries = unzipSync(archive);
  const xml = new TextDecoder().decode(entries[part]);
  const declared = xml.replace(/^<\?xml[^>]*\?>/, (declaration) => declaration + ENTITIES);
  entries[part] = strToU8(declared.replaceAll("ENTITY", EXPANDED));
  return zipSync(entries);
}

/** Returns a ZIP package with one part replaced. */
function withPart(archive: Uint8Array, part: string, edit: (xml: string) => string): Uint8Array<ArrayBuffer> {
  const entries = unzipSync(archive);
  entries[part] = strToU8(edit(new TextDecoder().decode(entries[part])));
  return zipSync(entries);
}

function nestedEmail(depth: number): string {
  let message = "Subject: inner\r\n\r\nText of the innermost message.";
  for (let i = 0; i < depth; i++) {
    message = `Subject: ${i}\r\nContent-Type: message/rfc822\r\n\r\n${message}`;
  }
  return message;
}

function emailParts(count: number): string {
  const part = "--b\r\nContent-Type: text/plain\r\n\r\nText\r\n";
  return `Subject: parts\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(count)}--b--`;
}

/** Generates one hostile document of every kind. */
export function hostileDocuments(): HostileFile[] {
  const rows = Array.from({ length: 50 }, (_, i) => [`row ${i}`, i] as const);
  const texts: readonly (readonly [string, string])[] = [
    ["entities.xml", `<?xml version="1.0"?>${ENTITIES}<d>${EXPANDED}</d>`],
    ["long-entity.xml", `<?xml version="1.0"?>${LONG_ENTITY}<d>${"&a;".repeat(100_000)}</d>`],
    ["nested.xml", "<a>".repeat(500_000) + "text" + "</a>".repeat(500_000)],
    ["unclosed.xml", `<?xml version="1.0"?><a ${"b='".repeat(200_000)}`],
    [
      "entities.rss",
      `<?xml version="1.0"?>${ENTITIES}<rss><channel><title>${EXPANDED}</title></channel></rss>`,
    ],
    ["nested.json", "[".repeat(1_000_000) + "]".repeat(1_000_000)],
    ["keys.json", `{${Array.from({ length: 300_000 }, (_, i) => `"key${i}":${i}`).join(",")}}`],
    ["string.json", `"${"a".repeat(12 * MiB)}`],
    ["lines.jsonl", "{}\n".repeat(2_000_000)],
    ["nested.ipynb", `{"nbformat":4,"cells":${"[".repeat(300_000)}`],
    ["columns.csv", Array.from({ length: 1_000_000 }, (_, i) => i).join(",")],
    [
      "header.csv",
      `${Array.from({ length: 20_000 }, (_, i) => `column ${i}`).join(",")}\n${"1\n".repeat(50_000)}`,
    ],
    ["quotes.csv", '"'.repeat(5_000_001)],
    ["nested.rtf", `{\\rtf1 ${"{".repeat(1_000_000)}text${"}".repeat(1_000_000)}}`],
    ["binary.rtf", `{\\rtf1 {\\pict\\bin2147483647 x} text \\bin-1 ${"\\par ".repeat(500_000)}}`],
    ["nested.eml", nestedEmail(20_000)],
    ["parts.eml", emailParts(100_000)],
    ["header.eml", `Subject: ${"=?utf-8?Q?a?= ".repeat(200_000)}\r\nX: ${"y".repeat(MiB)}\r\n\r\ntext`],
    ["boundaries.mhtml", emailParts(50_000).replace("mixed", "related")],
    ["stars.adoc", `${"*".repeat(300_000)}\n${"|===\n".repeat(100_000)}`],
    ["marks.rst", `${"`".repeat(300_000)}\n${"=\n".repeat(200_000)}${"+-".repeat(100_000)}`],
    ["stars.org", `${"*".repeat(300_000)} a\n${"* a\n".repeat(300_000)}`],
    ["braces.tex", `\\begin{document}${"{\\a".repeat(300_000)}${"\\begin{x}".repeat(100_000)}`],
    ["braces.js", `${"(function(){".repeat(100_000)}`],
    ["indent.py", Array.from({ length: 3_000 }, (_, i) => `${" ".repeat(i)}def f${i}():`).join("\n")],
    ["cues.vtt", `WEBVTT\n\n${"00:00.000 --> 00:00.000\n\n".repeat(300_000)}text`],
    ["spans.html", `<table><tr><td colspan=1000000000 rowspan=1000000000>text</td></tr></table>`],
    ["brackets.md", `${"[".repeat(200_000)}text${"](".repeat(200_000)}\n${"|".repeat(200_000)}\n`],
  ];
  const packages: readonly HostileFile[] = [
    { name: "entities.docx", content: withEntities(sampleDocx(["ENTITY"]), "word/document.xml") },
    { name: "entities.pptx", content: withEntities(samplePptx(["ENTITY"]), "ppt/slides/slide1.xml") },
    { name: "entities.xlsx", content: withEntities(sampleXlsx([["ENTITY"]]), "xl/sharedStrings.xml") },
    { name: "entities.odt", content: withEntities(sampleOdt(["ENTITY"]), "content.xml") },
    {
      name: "entities.epub",
      content: withEntities(sampleEpub("ENTITY", ["ENTITY"]), "OEBPS/chapter0.xhtml"),
    },
    {
      name: "repeated.ods",
      content: withPart(sampleOds([["text"]]), "content.xml", (xml) =>
        xml.replaceAll(
          "<table:table-cell ",
          '<table:table-cell table:number-columns-repeated="1000000000" ',
        ).replaceAll("<table:table-row>", '<table:table-row table:number-rows-repeated="1000000000">')),
    },
    {
      name: "spaces.odt",
      content: withPart(
        sampleOdt(["text"]),
        "content.xml",
        (xml) => xml.replace("text</text:p>", 'text<text:s text:c="2000000000"/></text:p>'),
      ),
    },
    {
      name: "distant.xlsx",
      content: withPart(
        sampleXlsx(rows),
        "xl/worksheets/sheet1.xml",
        (xml) =>
          xml.replace('r="A50"', 'r="XFD1048576"').replace(
            "<sheetData>",
            '<dimension ref="A1:XFD1048576"/><sheetData>',
          ),
      ),
    },
    {
      name: "merged.xlsx",
      content: withPart(sampleXlsx(rows), "xl/worksheets/sheet1.xml", (xml) =>
        xml.replace(
          "</sheetData>",
          `</sheetData><mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(20_000)}</mergeCells>`,
        )),
    },
    {
      name: "shapes.pptx",
      content: withPart(
        samplePptx(["text"]),
        "ppt/slides/slide1.xml",
        (xml) =>
          xml.replace("<p:sp>", "<p:grpSp>".repeat(100_000) + "<p:sp>")
            .replace("</p:sp>", "</p:sp>" + "</p:grpSp>".repeat(100_000)),
      ),
    },
    {
      name: "cyclic.epub",
      content: withPart(
        sampleEpub("Book", ["text"]),
        "OEBPS/book.opf",
        (xml) => xml.replace(/<itemref[^>]*>/, '<itemref idref="c0"/>'.repeat(300_000)),
      ),
    },
  ];
  return [...texts.map(([name, text]) => ({ name, content: new TextEncoder().encode(text) })), ...packages];
}

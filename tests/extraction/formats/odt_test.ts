import { assertEquals, assertRejects } from "@std/assert";
import { ExtractionError } from "../../../src/extraction/errors.ts";
import type { ExtractedText } from "../../../src/extraction/types.ts";
import { extractDocument } from "../../support/extract_document.ts";
import { type SampleOdf, sampleOdf } from "../../support/sample_odf.ts";

function read(body: string, options: SampleOdf = {}): Promise<ExtractedText> {
  return extractDocument({
    bytes: sampleOdf("text", body, options),
    filename: "a.odt",
    contentType: undefined,
  });
}

const p = (text: string, style = "Standard") => `<text:p text:style-name="${style}">${text}</text:p>`;

Deno.test("odt: headings, titles, code and properties are read", async () => {
  const found = await read(
    p("The garden", "P1") + '<text:h text:outline-level="2">Ferns</text:h>' +
      p("if a:", "Preformatted_20_Text") +
      p('<text:s text:c="2"/>b()', "Preformatted_20_Text") + p("Water<text:line-break/>daily"),
    {
      styles: '<style:style style:name="P1" style:parent-style-name="Title"/>',
      meta: "<dc:title>Care of plants</dc:title><meta:initial-creator>Ann</meta:initial-creator>" +
        "<meta:creation-date>2024-05-01T10:00:00.123456789</meta:creation-date>",
    },
  );
  assertEquals(found.text, "# The garden\n\n## Ferns\n\n```\nif a:\n  b()\n```\n\nWater\ndaily");
  assertEquals([found.docType, found.title], ["odt", "Care of plants"]);
  assertEquals(found.metadata, { title: "Care of plants", author: "Ann", created: "2024-05-01T10:00:00Z" });
});

Deno.test("odt: lists keep levels and numbers", async () => {
  const item = (content: string) => `<text:list-item>${content}</text:list-item>`;
  const inner = `<text:list>${item(p("deep"))}</text:list>`;
  const { text } = await read(
    `<text:list text:style-name="L1">${item(p("one") + inner)}${item(p("two") + p("more"))}</text:list>`,
    {
      styles:
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/>' +
        '<text:list-level-style-bullet text:level="2"/></text:list-style>',
    },
  );
  assertEquals(text, "1. one\n  - deep\n2. two\n   more");
});

Deno.test("odt: tables keep empty and covered cells", async () => {
  const cell = (text: string) => `<table:table-cell>${text === "" ? "" : p(text)}</table:table-cell>`;
  const row = (...cells: string[]) => `<table:table-row>${cells.join("")}</table:table-row>`;
  const { text } = await read(
    `<table:table><table:table-header-rows>${
      row(cell("Plant"), "<table:covered-table-cell/>", cell("Day"))
    }` +
      `</table:table-header-rows>${row(cell("Fern"), cell(""), cell("daily"))}</table:table>`,
  );
  assertEquals(text, "| Plant |  | Day |\n| --- | --- | --- |\n| Fern |  | daily |");
});

Deno.test("odt: notes, comments, text boxes and formulas are read; deletions and contents are not", async () => {
  const note = `<text:note><text:note-citation>1</text:note-citation><text:note-body>${
    p("With rain.")
  }</text:note-body></text:note>`;
  const comment = `<office:annotation><dc:creator>Ann</dc:creator><dc:date>2024-05-01</dc:date>${
    p("Why?")
  }</office:annotation>`;
  const box = `<draw:frame><draw:text-box>${
    p("In the box")
  }</draw:text-box><svg:desc>A fern</svg:desc></draw:frame>`;
  const formula = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>';
  const { text } = await read(
    `<text:tracked-changes><text:changed-region>${
      p("deleted")
    }</text:changed-region></text:tracked-changes>` +
      `<text:table-of-content><text:index-body>${p("Ferns 3")}</text:index-body></text:table-of-content>` +
      p(`Water${note} them${comment}${box}: ${formula}`),
    {
      parts: {
        "Object 1/content.xml":
          "<math:math><math:mfrac><math:mi>a</math:mi><math:mn>2</math:mn></math:mfrac></math:math>",
      },
    },
  );
  assertEquals(
    text,
    "Water[^1] them: $\\frac{a}{2}$\n\n[^1]: With rain.\n\n> Comment by Ann: Why?\n\nIn the box\n\nA fern",
  );
});

Deno.test("odt: headers and footers appear once, without page numbers", async () => {
  const { text } = await read(p("Text"), {
    master: `<style:master-page><style:header>${p("Garden report")}</style:header><style:footer>${
      p("Page <text:page-number>1</text:page-number>")
    }</style:footer></style:master-page>`,
  });
  assertEquals(text, "Text\n\nGarden report");
});

Deno.test("odt: broken XML is damaged, pictures alone have no text", async () => {
  const broken = await assertRejects(() => read("<text:p>x</text:p><!--"), ExtractionError);
  assertEquals(broken.code, "damaged");
  assertEquals((await assertRejects(() => read(""), ExtractionError)).code, "no_text");
});

Deno.test("odp: slides are pages with titles, notes and footers once", async () => {
  const frame = (kind: string, text: string) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box>${p(text)}</draw:text-box></draw:frame>`;
  const body = '<presentation:footer-decl presentation:name="f">Garden club</presentation:footer-decl>' +
    `<draw:page>${frame("title", "Ferns")}${frame("outline", "Water")}<presentation:notes>${
      frame("notes", "Say this.")
    }</presentation:notes></draw:page><draw:page><draw:custom-shape>${
      p("Shape")
    }</draw:custom-shape></draw:page>`;
  const bytes = sampleOdf("presentation", body);
  const found = await extractDocument({ bytes, filename: "a.odp", contentType: undefined });
  assertEquals(found.text, "# Ferns\n\nWater\n\n> Notes: Say this.\n\n## Slide 2\n\nShape\n\nGarden club");
  assertEquals([found.docType, found.title, found.metadata], ["odp", "Ferns", { slides: 2 }]);
  assertEquals(found.pageStarts, [0, found.text.indexOf("## Slide 2")]);
});

import { assertEquals, assertRejects } from "@std/assert";
import { ExtractionError } from "../../../src/extraction/errors.ts";
import type { ExtractedText } from "../../../src/extraction/types.ts";
import { extractDocument } from "../../support/extract_document.ts";
import {
  type SampleSlide,
  sampleSlides,
  slideParagraph as p,
  slideShape as shape,
} from "../../support/sample_slides.ts";

function read(...slides: (SampleSlide | string)[]): Promise<ExtractedText> {
  const bytes = sampleSlides(slides.map((slide) => typeof slide === "string" ? { shapes: slide } : slide));
  return extractDocument({ bytes, filename: "a.pptx", contentType: undefined });
}

Deno.test("pptx: slides are pages in their order, with their titles as headings", async () => {
  const found = await read(
    shape("ctrTitle", "The garden") + shape("subTitle", "A guide"),
    shape("body", "Water") + shape("title", "Ferns"),
    shape(undefined, "No title"),
  );
  assertEquals(found.text, "# The garden\n\nA guide\n\n## Ferns\n\nWater\n\n## Slide 3\n\nNo title");
  assertEquals([found.docType, found.title, found.metadata], ["pptx", "The garden", { slides: 3 }]);
  assertEquals(found.pageStarts!.map((start) => found.text.slice(start, start + 6)), [
    "# The ",
    "## Fer",
    "## Sli",
  ]);
});

Deno.test("pptx: bullets keep their levels, and generated fields are left out", async () => {
  const { text } = await read(
    shape("title", "List") + shape("body", p("one"), p("under", 'lvl="1"'), p("two")) + shape("sldNum", "7") +
      shape("ftr", "Garden club"),
    shape("title", "Numbers") +
      shape(
        undefined,
        ...["first", "second"].map((text) =>
          `<a:p><a:pPr><a:buAutoNum/></a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`
        ),
      ) + shape("ftr", "Garden club"),
  );
  assertEquals(
    text,
    "# List\n\n- one\n  - under\n- two\n\nGarden club\n\n## Numbers\n\n1. first\n2. second",
  );
});

Deno.test("pptx: tables, grouped shapes, descriptions, notes and comments are read", async () => {
  const cell = (text: string, attributes = "") =>
    `<a:tc ${attributes}><a:txBody>${p(text)}</a:txBody></a:tc>`;
  const table =
    `<p:graphicFrame><a:tbl><a:tr>${cell("Plant", 'gridSpan="2"')}${cell("", 'hMerge="1"')}</a:tr>` +
    `<a:tr>${cell("Fern")}${cell("daily")}</a:tr></a:tbl></p:graphicFrame>`;
  const picture = '<p:pic><p:nvPicPr><p:cNvPr descr="A fern"/></p:nvPicPr></p:pic>' +
    '<p:pic><p:nvPicPr><p:cNvPr descr="image1.png"/></p:nvPicPr></p:pic>';
  const { text } = await read({
    shapes: shape("title", "All") + table + `<p:grpSp>${shape(undefined, "In a group")}</p:grpSp>` + picture,
    parts: {
      notesSlide: shape("sldImg", "x") + shape("body", "Say this."),
      comments: "<p:cm><p:text>Really?</p:text></p:cm>",
    },
  });
  assertEquals(
    text,
    "# All\n\n| Plant |  |\n| --- | --- |\n| Fern | daily |\n\nIn a group\n\nA fern\n\n> Notes: Say this.\n\n> Comment: Really?",
  );
});

Deno.test("pptx: charts and diagrams are read from their parts", async () => {
  const { text } = await read({
    shapes: shape("title", "Data") + '<p:graphicFrame><c:chart r:id="chart"/></p:graphicFrame>' +
      '<p:graphicFrame><dgm:relIds r:dm="diagramData"/></p:graphicFrame>',
    parts: {
      chart:
        '<c:ser><c:cat><c:pt idx="0"><c:v>May</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>4</c:v></c:pt></c:val></c:ser>',
      diagramData: `<dgm:pt><dgm:t>${p("Sow")}</dgm:t></dgm:pt><dgm:pt><dgm:t>${p("Reap")}</dgm:t></dgm:pt>`,
    },
  });
  assertEquals(text, "# Data\n\n| May | 4 |\n| --- | --- |\n\n- Sow\n- Reap");
});

Deno.test("pptx: slides of pictures alone have no text", async () => {
  const error = await assertRejects(() => read("", ""), ExtractionError);
  assertEquals(error.code, "no_text");
});

Deno.test("pptx: a chart that many frames refer to is read once", async () => {
  const { text } = await read({
    shapes: shape("title", "Data") + '<p:graphicFrame><c:chart r:id="chart"/></p:graphicFrame>'.repeat(3),
    parts: { chart: "<c:title><a:t>Rain</a:t></c:title>" },
  });
  assertEquals(text, "# Data\n\nRain");
});

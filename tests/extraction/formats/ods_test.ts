import { assertEquals, assertRejects } from "@std/assert";
import { strToU8, zipSync } from "fflate";
import { extract, type ExtractedText, ExtractionError } from "../../../src/extraction/mod.ts";

const NAMES =
  ["office", "table", "text", "draw", "style"].map((name) =>
    `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`
  ).join(" ") + ` xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"`;

function spreadsheet(tables: string, styles = ""): Uint8Array<ArrayBuffer> {
  const content =
    `<office:document-content ${NAMES}><office:automatic-styles>${styles}</office:automatic-styles>` +
    `<office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`;
  const meta =
    `<office:document-meta ${NAMES}><office:meta><dc:title>Garden plan</dc:title></office:meta></office:document-meta>`;
  return zipSync({
    mimetype: strToU8("application/vnd.oasis.opendocument.spreadsheet"),
    "content.xml": strToU8(content),
    "meta.xml": strToU8(meta),
  });
}

async function read(bytes: Uint8Array<ArrayBuffer>): Promise<ExtractedText> {
  const extracted = await extract({ bytes, filename: "numbers.ods", contentType: undefined });
  assertEquals(extracted?.docType, "ods");
  return extracted!;
}

const table = (rows: string, name = "Data", style = "") =>
  `<table:table table:name="${name}" table:style-name="${style}">${rows}</table:table>`;
const row = (cells: string, repeated = 1) =>
  `<table:table-row table:number-rows-repeated="${repeated}">${cells}</table:table-row>`;
const cell = (content: string, attributes = "") =>
  `<table:table-cell ${attributes}>${content}</table:table-cell>`;
const text = (value: string, attributes = "") => cell(`<text:p>${value}</text:p>`, attributes);
const empty = (repeated: number) => `<table:table-cell table:number-columns-repeated="${repeated}"/>`;

Deno.test("extract shows the values of an OpenDocument spreadsheet", async () => {
  const rows = row(text("Name") + text("Price") + empty(16382)) +
    row(text("Fern<text:s/>moss", "") + text("12,50 €", `office:value="12.5"`)) +
    row(cell("<text:p>two</text:p><text:p>lines</text:p>") + cell("", `office:value="7"`)) +
    row(text("merged", `table:number-columns-spanned="2"`) + "<table:covered-table-cell/>") +
    row(empty(16384), 1048000) +
    row(
      cell("", `table:formula="of:=SUM([.A1:.A2])"`) +
        text(`<text:a xlink:href="https://a.example/x">link</text:a>`),
    );
  const { text: found, title, metadata } = await read(spreadsheet(table(rows)));
  assertEquals(
    found,
    "## Data\n\n| Name | Price |\n| --- | --- |\n| Fern moss | 12,50 € |\n| two lines | 7 |\n| merged |  |\n" +
      "| =SUM([.A1:.A2]) | [link](https://a.example/x) |\n",
  );
  assertEquals([title, metadata], ["Garden plan", { title: "Garden plan", sheets: ["Data"] }]);
});

Deno.test("extract keeps comments, text boxes and hidden sheets of an OpenDocument spreadsheet", async () => {
  const comment =
    "<office:annotation><dc:creator>Ann</dc:creator><text:p>Too dry</text:p></office:annotation>";
  const box = "<draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame>";
  const style = `<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>`;
  const { text: found, metadata } = await read(spreadsheet(
    table(row(text("A")) + row(empty(1) + cell(`${comment}<text:p>Fern</text:p>${box}`))) +
      table(row(text("Moss")), "Secret", "ta2"),
    style,
  ));
  assertEquals(
    found,
    "## Data\n\n| A |  |\n| --- | --- |\n|  | Fern |\n\n" +
      "Comments:\n\n- B2 (Ann): Too dry\n\nIn a box\n\n## Secret\n\n| Moss |\n| --- |\n",
  );
  assertEquals(metadata?.["hidden_sheets"], ["Secret"]);
});

Deno.test("extract repeats cells and rows a bounded number of times", async () => {
  const { text: found } = await read(
    spreadsheet(table(row(text("x", `table:number-columns-repeated="3"`), 2) + row(text("y"), 1048576))),
  );
  const lines = found.split("\n");
  assertEquals(lines.slice(2, 6), ["| x | x | x |", "| --- | --- | --- |", "| x | x | x |", "| y |  |  |"]);
  assertEquals(lines.length, 1_006);
});

Deno.test("extract refuses repeated cells that exceed the length of a text at once", async () => {
  const repeated = row(text("x".repeat(100), `table:number-columns-repeated="1000"`), 1000);
  const error = await assertRejects(() => read(spreadsheet(table(repeated))), ExtractionError);
  assertEquals(error.code, "too_large");
});

import { assertEquals, assertRejects } from "@std/assert";
import { ExtractionError } from "../../../src/extraction/errors.ts";
import { extractDocument } from "../../support/extract_document.ts";
import { type SampleDoc, sampleDoc } from "../../support/sample_doc.ts";

async function markdown(sample: SampleDoc): Promise<string> {
  const found = await extractDocument({
    bytes: sampleDoc(sample),
    filename: "a.doc",
    contentType: undefined,
  });
  assertEquals(found.docType, "doc");
  return found.text;
}

/** Modifications: in a table, end of a row, in a list, second level of it. */
const CELL = [0x16, 0x24, 1];
const ROW = [...CELL, 0x17, 0x24, 1];
const ITEM = [0x0b, 0x46, 1, 0];
const SECOND = [...ITEM, 0x0a, 0x26, 1];

Deno.test("doc: headings, lists and paragraphs are read", async () => {
  const body = "Ferns\rСад\vдва\u001e\rone\runder\r";
  const paragraphs = { 0: { style: 1 }, 2: { modifications: ITEM }, 3: { modifications: SECOND } };
  assertEquals(await markdown({ body, paragraphs }), "# Ferns\n\nСад\nдва\u2011\n\n- one\n  - under");
});

Deno.test("doc: tables keep empty cells", async () => {
  const body = "Plant\x07Day\x07\x07Fern\rmoss\x07\x07\x07After\r";
  const cell = { modifications: CELL };
  const paragraphs = {
    0: cell,
    1: cell,
    2: { modifications: ROW },
    3: cell,
    4: cell,
    5: cell,
    6: { modifications: ROW },
  };
  assertEquals(
    await markdown({ body, paragraphs }),
    "| Plant | Day |\n| --- | --- |\n| Fern moss |  |\n\nAfter",
  );
});

Deno.test("doc: footnotes follow their paragraph, fields keep their result", async () => {
  const body = "Water\x02 \x13 HYPERLINK x \x14them\x15.\rPage \x13 PAGE \x147\x15\rNext\r";
  assertEquals(
    await markdown({ body, footnotes: ["\x02 With rain.\r"] }),
    "Water[^1] them.\n\n[^1]: With rain.\n\nPage\n\nNext",
  );
});

Deno.test("doc: files without text and damaged files are rejected", async () => {
  const code = async (bytes: Uint8Array<ArrayBuffer>) => {
    const read = () => extractDocument({ bytes, filename: "a.doc", contentType: undefined });
    return (await assertRejects(read, ExtractionError)).code;
  };
  assertEquals(await code(sampleDoc({ body: "\r\r" })), "no_text");
  const bytes = sampleDoc({ body: "Text\r" });
  // The number of characters of the only piece: more than the file has bytes.
  const clx = bytes.findIndex((_, i) => bytes[i] === 2 && bytes[i + 1] === 16 && bytes[i + 9] === 5);
  bytes[clx + 11] = 0x10;
  assertEquals(await code(bytes), "damaged");
});

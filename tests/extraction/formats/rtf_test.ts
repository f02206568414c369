import { assertEquals, assertRejects } from "@std/assert";
import { ExtractionError } from "../../../src/extraction/errors.ts";
import type { ExtractedText } from "../../../src/extraction/types.ts";
import { extractDocument } from "../../support/extract_document.ts";

/** Reads RTF with this content; characters are bytes. */
function read(content: string, header = "\\rtf1\\ansi\\ansicpg1252\\deff0"): Promise<ExtractedText> {
  const bytes = Uint8Array.from(`{${header}${content}}`, (char) => char.charCodeAt(0));
  return extractDocument({ bytes, filename: "a.rtf", contentType: undefined });
}

const text = async (content: string) => (await read(content)).text;

const FONTS =
  "{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial;}{\\f2\\fcharset128 MS Mincho;}{\\f3\\fcharset2 Symbol;}}";

Deno.test("rtf: text is decoded by the character set of its font", async () => {
  // The second byte of a Japanese character can be a letter.
  const content =
    `${FONTS}\\pard caf\\'e9 {\\f1\\'cf\\'f0\\'e8\\'e2\\'e5\\'f2} {\\f2\\'83e\\'83X\\'83g} {\\f3\\'61\\'b7}\\par`;
  assertEquals(await text(content), "café Привет テスト α•");
  assertEquals((await read("\\'8f\\par", "\\rtf1\\ansi\\ansicpg1251")).text, "Џ");
  assertEquals((await read("\\'81\\par", "\\rtf1\\pc")).text, "ü");
});

Deno.test("rtf: Unicode characters replace their fallback", async () => {
  assertEquals(
    await text("\\uc1 a\\u1090?b \\uc2\\u1090\\'d1\\'82c {\\uc0\\u-10179\\u-8704}\\u8364??d\\par"),
    "aтb тc 😀€d",
  );
  assertEquals(await text("{\\upr{ascii}{\\*\\ud{unicode \\u1090?}}}\\par"), "unicode т");
});

Deno.test("rtf: headings, lists and special characters are read", async () => {
  const styles = "{\\stylesheet{Normal;}{\\s1 heading 1;}{\\*\\cs2 Strong;}{\\s3 Title;}}";
  assertEquals(
    await text(
      `${styles}\\pard\\s3 The garden\\par\\pard\\s1 Ferns\\par\\pard\\outlinelevel1 Moss\\par\\pard` +
        "{\\listtext\\f3 \\'b7\\tab}one\\par{\\listtext 2.\\tab}\\ilvl1 two\\par\\pard Water\\~it \\emdash\\{daily\\}\\line now\\par",
    ),
    "# The garden\n\n# Ferns\n\n## Moss\n\n- one\n  2. two\n\nWater it —{daily}\nnow",
  );
});

Deno.test("rtf: tables become Markdown tables, with empty cells", async () => {
  const row = (...cells: string[]) =>
    `\\trowd\\cellx1\\cellx2\\pard\\intbl ${cells.join("\\cell ")}\\cell\\row`;
  assertEquals(
    await text(`${row("Plant", "Day")}${row("Fern\\par moss", "")}\\pard After\\par`),
    "| Plant | Day |\n| --- | --- |\n| Fern moss |  |\n\nAfter",
  );
});

Deno.test("rtf: notes, comments, fields, boxes and headers are read; pictures and hidden text are not", async () => {
  const content =
    "{\\header Garden report\\par}{\\footer Page {\\field{\\*\\fldinst PAGE}{\\fldrslt 1}}\\par}" +
    '\\pard Water{\\footnote\\pard With rain.} {\\field{\\*\\fldinst HYPERLINK "https://x.example"}{\\fldrslt them}}' +
    "{\\*\\atnauthor Ann}{\\*\\annotation Why?}{\\v hidden}{\\pict\\pngblip 89504e47}{\\*\\unknown x}" +
    "{\\shp{\\*\\shpinst{\\sp{\\sn a}{\\sv b}}{\\shptxt In the box\\par}}{\\shprslt In the box}}\\par";
  assertEquals(
    await text(content),
    "Water[^1] them\n\n[^1]: With rain.\n\n> Comment by Ann: Why?\n\nIn the box\n\nGarden report",
  );
});

Deno.test("rtf: binary data can contain braces", async () => {
  assertEquals(await text("{\\pict\\bin4 }}}}}After\\par"), "After");
});

Deno.test("rtf: properties become metadata", async () => {
  const found = await read(
    "{\\info{\\title Care of plants}{\\author Ann}{\\creatim\\yr2024\\mo5\\dy1\\hr10\\min3}{\\revtim\\yr0}}{\\*\\generator Pad 1;}x\\par",
  );
  assertEquals(found.title, "Care of plants");
  assertEquals(found.metadata, {
    title: "Care of plants",
    author: "Ann",
    created: "2024-05-01T10:03:00Z",
    generator: "Pad 1",
  });
});

Deno.test("rtf: a truncated file keeps its text with a warning; deep nesting is damaged", async () => {
  assertEquals((await read("{\\b Half")).warnings, ["The file is truncated: text may be missing at its end"]);
  const error = await assertRejects(() => read("{".repeat(20_000)), ExtractionError);
  assertEquals(error.code, "damaged");
});

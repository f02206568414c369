import { assert, assertEquals, assertRejects } from "@std/assert";
import { extract, ExtractionError, Ocr } from "../../../src/extraction/mod.ts";
import { drawText } from "../../support/drawn_text.ts";
import { extractDocument } from "../../support/extract_document.ts";
import { buildPdf, layoutPdf, type LayoutPdfOptions, type PlacedText } from "../../support/layout_pdf.ts";
import { englishData } from "../../support/ocr_language.ts";
import { imageOnlyPdf, samplePdf } from "../../support/samples.ts";

function read(bytes: Uint8Array<ArrayBuffer>, filename = "a.pdf") {
  return extractDocument({ bytes, filename, contentType: undefined });
}

/** Extracts pages of placed text. */
function readLayout(pages: readonly (readonly PlacedText[])[], options?: LayoutPdfOptions) {
  return read(layoutPdf(pages, options));
}

/** Places lines under each other, 12 points apart. */
function lines(texts: readonly string[], at: Omit<PlacedText, "text">): PlacedText[] {
  return texts.map((text, index) => ({ ...at, text, y: at.y - 12 * index }));
}

const BODY = [
  "The keeper of the lighthouse writes down the wind and the height of the waves at sunset.",
  "In winter the lamp burns for sixteen hours, and the oil has to be carried up twice a day.",
  "Ships that pass between the island and the coast answer with a short signal of the horn.",
];

Deno.test("extract joins the lines of a paragraph and the words that are hyphenated", async () => {
  const { text } = await readLayout([lines([
    "The keeper of the lighthouse writes down the wind, the waves and the num-",
    "ber of ships that pass, and posts the sheet to the harbour office at the end.",
    "Every month.",
  ], { x: 60, y: 700 })]);
  assertEquals(
    text,
    "The keeper of the lighthouse writes down the wind, the waves and the number of ships that pass, and posts the " +
      "sheet to the harbour office at the end. Every month.",
  );
});

Deno.test("extract keeps lines that end early, like those of an address", async () => {
  const { text } = await readLayout([lines([
    "Harbour office",
    "12 Quay",
    "We ask all captains to announce their arrival two hours before they reach the port",
  ], { x: 60, y: 700 })]);
  assertEquals(
    text,
    "Harbour office\n12 Quay\nWe ask all captains to announce their arrival two hours before they reach the port",
  );
});

Deno.test("extract marks the headings that bookmarks name, and others in their style", async () => {
  const page: PlacedText[] = [
    { text: "1. Lighthouses", x: 60, y: 740, size: 12, font: "bold" },
    ...lines(BODY, { x: 60, y: 700 }),
    { text: "Lamps", x: 60, y: 640, size: 11, font: "bold" },
    ...lines(BODY, { x: 60, y: 610 }),
    { text: "Horns", x: 60, y: 540, size: 11, font: "bold" },
    ...lines(BODY, { x: 60, y: 510 }),
  ];
  const { text } = await readLayout([page], {
    bookmarks: [{ title: "Lighthouses", page: 0 }, { title: "Lamps", page: 0, parent: 0 }],
  });
  assertEquals(text.match(/^#.*$/gm), ["# 1. Lighthouses", "## Lamps", "## Horns"]);
});

Deno.test("extract finds headings by the size of their font, and the title on the first page", async () => {
  const { text, title } = await readLayout([[
    { text: "The keeper's handbook", x: 60, y: 760, size: 24 },
    ...lines(BODY, { x: 60, y: 700 }),
    { text: "Lamps", x: 60, y: 640, size: 14 },
    ...lines(BODY, { x: 60, y: 610 }),
  ]]);
  assertEquals(title, "The keeper's handbook");
  assertEquals(text.match(/^#.*$/gm), ["# The keeper's handbook", "## Lamps"]);
});

Deno.test("extract reads tables without rules, with their empty cells", async () => {
  const row = (y: number, ...cells: string[]) =>
    cells.flatMap((text, column) => text === "" ? [] : [{ text, x: 60 + 150 * column, y }]);
  const { text } = await readLayout([[
    ...lines(BODY, { x: 60, y: 760 }),
    ...row(700, "Ship", "Cargo", "Mast | height"),
    ...row(684, "Aurora", "", "31 m"),
    ...row(668, "Borealis", "grain", ""),
    ...row(652, "Carina", "coal", "28 m"),
    ...lines(BODY, { x: 60, y: 600 }),
  ]]);
  const table = text.split("\n\n")[1];
  assertEquals(table?.split("\n"), [
    "| Ship | Cargo | Mast \\| height |",
    "| --- | --- | --- |",
    "| Aurora |  | 31 m |",
    "| Borealis | grain |  |",
    "| Carina | coal | 28 m |",
  ]);
});

Deno.test("extract reads cells with several lines, drawn one cell after the other", async () => {
  const { text } = await readLayout([[
    ...lines(["Ship"], { x: 60, y: 700 }),
    ...lines(["Cargo"], { x: 200, y: 700 }),
    ...lines(["Aurora", "of the north"], { x: 60, y: 680 }),
    ...lines(["grain and", "salted fish"], { x: 200, y: 680 }),
    ...lines(["Carina"], { x: 60, y: 648 }),
    ...lines(["coal"], { x: 200, y: 648 }),
  ]]);
  assertEquals(text.split("\n"), [
    "| Ship | Cargo |",
    "| --- | --- |",
    "| Aurora of the north | grain and salted fish |",
    "| Carina | coal |",
  ]);
});

Deno.test("extract reads columns one after the other, also when they are drawn line by line", async () => {
  const left = [
    "the wind of the morning turns",
    "and blows from the open sea",
    "until the evening when it",
    "calms down and the fog",
  ];
  const right = [
    "comes in from the north and",
    "hides the coast, the rocks",
    "and all the boats that lie",
    "at anchor in the bay below.",
  ];
  const columns = [
    [...lines(left, { x: 60, y: 700 }), ...lines(right, { x: 320, y: 700 })],
    left.flatMap((
      text,
      i,
    ) => [{ text, x: 60, y: 700 - 12 * i }, { text: right[i]!, x: 320, y: 700 - 12 * i }]),
  ];
  for (const page of columns) {
    assertEquals((await readLayout([page])).text.replace(/\s+/g, " "), [...left, ...right].join(" "));
  }
});

Deno.test("extract keeps code in fixed-width fonts with its indentation", async () => {
  const { text } = await readLayout([[
    ...lines(BODY, { x: 60, y: 760 }),
    { text: "while (isDark()) {", x: 60, y: 700, font: "code" },
    { text: "turn(lamp);  // slowly", x: 72, y: 688, font: "code" },
    { text: "}", x: 60, y: 676, font: "code" },
    ...lines(BODY, { x: 60, y: 640 }),
  ]]);
  assertEquals(text.split("\n\n")[1], "```\nwhile (isDark()) {\n  turn(lamp);  // slowly\n}\n```");
});

Deno.test("extract reads list items, and escapes text that only looks like structure", async () => {
  const { text } = await readLayout([[
    { text: "\x95 oil and wicks", x: 60, y: 700 },
    { text: "\x95 spare glass", x: 60, y: 688 },
    { text: "1. Clean the lens.", x: 60, y: 676 },
    { text: "# of lamps: 2", x: 60, y: 640 },
    { text: "> 16 hours", x: 60, y: 600 },
  ]]);
  assertEquals(text.split("\n\n"), [
    "- oil and wicks",
    "- spare glass",
    "1. Clean the lens.",
    "\\# of lamps: 2",
    "\\> 16 hours",
  ]);
});

Deno.test("extract keeps the lines of a table of contents, without the dots", async () => {
  const { text } = await readLayout([lines([
    "1 Lamps and wicks . . . . . . . . . . . . . . . . . 3",
    "2 Horns and bells . . . . . . . . . . . . . . . . . 14",
    "3 Boats . . . . . . . . . . . . . . . . . . . . . . . . . . 27",
  ], { x: 60, y: 700 })]);
  assertEquals(text, "1 Lamps and wicks … 3\n2 Horns and bells … 14\n3 Boats … 27");
});

Deno.test("extract removes running headers, footers and page numbers", async () => {
  const pages = Array.from({ length: 5 }, (_, index): PlacedText[] => [
    { text: `Handbook - chapter ${index + 1}`, x: 60, y: 810, size: 8 },
    ...lines([`Page about the keeper number ${index + 1}.`, ...BODY], { x: 60, y: 760 }),
    { text: `${index + 7}`, x: 300, y: 30, size: 8 },
  ]);
  const { text } = await readLayout(pages);
  assertEquals(text.match(/Handbook|^\d+$/gm), null);
  assertEquals(text.match(/Page about the keeper number \d/g)?.length, 5);
});

Deno.test("extract keeps headings that are at the same height of each page", async () => {
  const pages = Array.from({ length: 5 }, (_, index): PlacedText[] => [
    { text: `Exercise ${index + 1}`, x: 60, y: 800, size: 18 },
    ...lines(BODY, { x: 60, y: 760 }),
    { text: "KEEPER'S HANDBOOK", x: 60, y: 30, size: 18 },
  ]);
  const { text } = await readLayout(pages);
  assertEquals(text.match(/^# Exercise \d$/gm)?.length, 5);
  assertEquals(text.includes("HANDBOOK"), false);
});

Deno.test("extract keeps a document that has nothing but lines that repeat", async () => {
  const { text } = await read(samplePdf(["Slide 1", "Slide 2", "Slide 3", "Slide 4"]));
  assertEquals(text, "Slide 1\n\nSlide 2\n\nSlide 3\n\nSlide 4");
});

Deno.test("extract continues a sentence on the next page, with exact page starts", async () => {
  const { text, pageStarts } = await readLayout([
    lines(["The keeper of the lighthouse writes down the wind and"], { x: 60, y: 100 }),
    lines(["the waves of the day."], { x: 60, y: 760 }),
    lines(["Another page."], { x: 60, y: 760 }),
  ]);
  assertEquals(
    text,
    "The keeper of the lighthouse writes down the wind and the waves of the day.\n\nAnother page.",
  );
  assertEquals(pageStarts?.map((start) => text.slice(start, start + 7)), ["The kee", "the wav", "Another"]);
});

Deno.test("extract reads the properties of a PDF as metadata", async () => {
  const { title, metadata } = await readLayout([lines(["Text"], { x: 60, y: 700 })], {
    catalog: "/Lang (de-AT)",
    info: {
      Title: "Microsoft Word - x.doc",
      Author: "Ann",
      Subject: "Light",
      Keywords: "sea, lamp",
      Creator: "Writer",
      CreationDate: "D:20240131093000+01'00'",
      ModDate: "D:20240201",
    },
  });
  assertEquals(title, undefined);
  assertEquals(metadata, {
    author: "Ann",
    subject: "Light",
    keywords: "sea, lamp",
    created: "2024-01-31T08:30:00Z",
    modified: "2024-02-01",
    generator: "Writer",
    language: "de-AT",
    pages: 1,
  });
});

/** Returns a PDF whose font is a composite one with this encoding and character collection, and this hexadecimal text. */
function compositePdf(encoding: string, ordering: string, hex: string): Uint8Array<ArrayBuffer> {
  const content = `BT /F1 12 Tf 60 700 Td <${hex}> Tj ET`;
  return buildPdf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /${encoding} /DescendantFonts [6 0 R] >>`,
    "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /X /DW 1000 /FontDescriptor 7 0 R " +
    `/CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> >>`,
    "<< /Type /FontDescriptor /FontName /X /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 900 " +
    "/Descent -100 /CapHeight 700 /StemV 80 >>",
  ]);
}

const ENCODINGS: [encoding: string, ordering: string, hex: string, text: string][] = [
  ["90ms-RKSJ-H", "Japan1", "93fa967b8cea", "日本語"],
  ["EUC-H", "Japan1", "c6fccbdcb8ec", "日本語"],
  ["UniJIS-UCS2-H", "Japan1", "65e5672c8a9e", "日本語"],
  ["UniJIS-UTF16-H", "Japan1", "65e5672c8a9e", "日本語"],
  ["GBK-EUC-H", "GB1", "d6d0cec4", "中文"],
  ["ETen-B5-H", "CNS1", "a4a4a4e5", "中文"],
  ["KSCms-UHC-H", "Korea1", "c7d1b1db", "한글"],
];
for (const [encoding, ordering, hex, text] of ENCODINGS) {
  Deno.test(`extract reads a PDF with the predefined CMap ${encoding}`, async () => {
    assertEquals((await read(compositePdf(encoding, ordering, hex))).text, text);
  });
}

Deno.test("extract rejects a PDF whose only text are the numbers of glyphs", async () => {
  const error = await assertRejects(
    () => extract({ bytes: samplePdf(["% 3* (-./5)& !,+ '\"3"]), filename: "a.pdf", contentType: undefined }),
    ExtractionError,
  );
  assertEquals(error.code, "unreadable_text");
});

Deno.test("extract leaves out pages that cannot be read, and names them", async () => {
  const found = await read(
    samplePdf(["A page with text.", "% 3* (-./5)& !,+ '\"3", "Another page with text."]),
  );
  assertEquals(found.text, "A page with text.\n\n\n\nAnother page with text.");
  assertEquals(found.warnings, [
    "The text of page 2 was left out: its fonts have no map to characters.",
  ]);
});

Deno.test("extract leaves out glyphs without a character, and names their pages", async () => {
  const content =
    "BT /F1 12 Tf 60 700 Td (Lamps and horns of the coast) Tj 0 -40 Td /F2 12 Tf <00010002000300040005> Tj ET";
  const found = await read(buildPdf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R " +
    "/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [7 0 R] >>",
    "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X " +
    "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
  ]));
  assertEquals(found.text, "Lamps and horns of the coast");
  assertEquals(found.warnings, ["Some text of page 1 was left out: a font has no map to characters."]);
});

Deno.test("extract says what to do with a scan", async () => {
  const error = await assertRejects(
    () => extract({ bytes: imageOnlyPdf(), filename: "a.pdf", contentType: undefined }),
    ExtractionError,
    "kb-mcp model install ocr-eng",
  );
  assertEquals(error.code, "no_text");
});

Deno.test("extract reports its progress in pages", async () => {
  const progress: unknown[] = [];
  const bytes = samplePdf(Array.from({ length: 20 }, (_, index) => `Text of page ${index}.`));
  await extract({ bytes, filename: "a.pdf", contentType: undefined }, {
    onProgress: (each) => progress.push(each),
  });
  assertEquals(progress.at(-1), { unit: "pages", done: 20, total: 20 });
  assert(progress.length >= 3);
});

Deno.test("extract reads or rejects damaged PDF files, and the next file is read", async () => {
  const good = layoutPdf([lines(BODY, { x: 60, y: 700 })], { bookmarks: [{ title: "Keeper", page: 0 }] });
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  for (let round = 0; round < 24; round++) {
    // The first bytes say that it is a PDF.
    const bytes = good.slice(0, round % 2 === 0 ? good.length : 64 + random(good.length - 64));
    for (let flip = 0; flip < 3; flip++) bytes[16 + random(bytes.length - 16)]! ^= 1 << random(8);
    await extract({ bytes, filename: "a.pdf", contentType: undefined }).catch((error) => {
      if (!(error instanceof ExtractionError)) throw error;
    });
  }
  assertEquals((await read(good)).text, BODY.join(" "));
});

Deno.test("extract reads scanned pages by OCR, and says so", async () => {
  const ocr = new Ocr({ languages: [await englishData()], timeoutMs: 60_000 });
  const image = drawText(["THE HOTEL", "LET THE TOOL HEAL"]);
  const gray = image.rgba.filter((_, index) => index % 4 === 0);
  // A page that has the size of the image at 300 dpi.
  const [width, height] = [image.width * 0.24, image.height * 0.24];
  const content = `q ${width} 0 0 ${height} 0 0 cm /I Do Q`;
  const hex = Array.from(gray, (value) => value.toString(16).padStart(2, "0")).join("");
  const bytes = buildPdf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R ` +
    "/Resources << /XObject << /I 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Type /XObject /Subtype /Image /Width ${image.width} /Height ${image.height} /BitsPerComponent 8 ` +
    `/ColorSpace /DeviceGray /Filter /ASCIIHexDecode /Length ${hex.length} >>\nstream\n${hex}\nendstream`,
  ]);
  const found = await extractDocument({ bytes, filename: "a.pdf", contentType: undefined }, { ocr });
  assertEquals(found.text.replace(/\s+/g, " "), "THE HOTEL LET THE TOOL HEAL");
  assertEquals((found.metadata?.["ocr"] as { pages: number }).pages, 1);
  assert(/^Page 1 was read from an image by OCR/.test(found.warnings?.[0] ?? ""));
});

Deno.test("extract keeps the stamp of a scanned page, and says that the page has no text", async () => {
  const content = "q 595 0 0 842 0 0 cm /I Do Q BT /F1 8 Tf 60 20 Td (Scanned with a telephone) Tj ET";
  const found = await read(buildPdf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R " +
    "/Resources << /XObject << /I 5 0 R >> /Font << /F1 6 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray " +
    "/Filter /ASCIIHexDecode /Length 3 >>\nstream\n80>\nendstream",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ]));
  assertEquals(found.text, "Scanned with a telephone");
  assert(found.warnings?.[0]?.startsWith("Page 1 has no text: it looks like a scan."));
});

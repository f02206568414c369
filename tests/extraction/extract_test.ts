import { assert, assertEquals, assertRejects } from "@std/assert";
import { type ExtractedText } from "../../src/extraction/types.ts";
import { ExtractionError } from "../../src/extraction/errors.ts";
import { extractDocument } from "../support/extract_document.ts";
import { imageOnlyPdf, lockedPdf, sampleDocx, samplePdf } from "../support/samples.ts";

const encoder = new TextEncoder();

function read(
  content: string | Uint8Array<ArrayBuffer>,
  filename?: string,
  contentType?: string,
): Promise<ExtractedText> {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  return extractDocument({ bytes, filename, contentType });
}

Deno.test("extract keeps plain text except for line ends and control characters", async () => {
  const found = await read(`\ufeff# no heading\r\nline\rtwo\u0007 e\u0301\n${"x".repeat(200)}\n`, "a.txt");
  assertEquals(found, {
    docType: "text",
    title: undefined,
    text: `# no heading\nline\ntwo é\n${"x".repeat(200)}\n`,
    markup: "plain",
    pageStarts: undefined,
    metadata: undefined,
    warnings: [],
    tags: [],
  });
});

Deno.test("extract reads settings, logs and files of unknown types as text", async () => {
  for (const name of ["a.yaml", "a.ini", "a.log", "Makefile", "a.whatever"]) {
    const { docType, text } = await read("a,b\n", name);
    assertEquals([docType, text], ["text", "a,b\n"], name);
  }
});

Deno.test("extract uses the charset declared by the sender", async () => {
  const bytes = Uint8Array.of(0xe6, 0xf8, 0xe5);
  assertEquals((await read(bytes, "a.txt", "text/plain; charset=iso-8859-5")).text, "цјх");
});

Deno.test("extract reads title, tags and metadata from front matter", async () => {
  const found = await read(
    "---\ntitle: My plants\ntags: [garden, '#green', 7]\ndate: 2024-05-01\n---\n\n# Ferns\n\nWater.\n",
    "a.md",
  );
  assertEquals(found.docType, "markdown");
  assertEquals(found.markup, "markdown");
  assertEquals(found.title, "My plants");
  assertEquals(found.tags, ["garden", "green", "7"]);
  assertEquals(found.metadata, { title: "My plants", tags: ["garden", "#green", 7], date: "2024-05-01" });
  assertEquals(found.text, "# Ferns\n\nWater.\n");
});

Deno.test("extract reads front matter that is not valid YAML, and warns", async () => {
  const { title, tags, text, warnings } = await read(
    "---\ntitle: Deploy: a guide\ntags: [a, b\n---\n# Steps\n",
    "a.md",
  );
  assertEquals([title, tags, text], ["Deploy: a guide", ["a", "b"], "# Steps\n"]);
  assertEquals(warnings, [
    "The front matter is no valid YAML, and was read line by line: check the title, tags and metadata.",
  ]);
});

Deno.test("extract uses the first heading of Markdown as its title", async () => {
  assertEquals((await read("Preface\n\n## The **ferns**\n\n# Other\n", "a.md")).title, "The ferns");
  assertEquals((await read("No heading", "a.md")).title, undefined);
});

Deno.test("extract converts HTML to Markdown without scripts, styles and navigation", async () => {
  const found = await read(
    `<!doctype html><html><head><title> Plants &amp;
      more </title><style>p { color: red }</style><script>alert("no")</script></head>
      <body><nav><a href="/">Home</a></nav><h1>Ferns</h1><p>Water <b>them</b>, see
      <a href="https://example.com/x">the plan</a> for my_long_name.</p>
      <ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul><ol start="3"><li>three</li><li>four</li></ol>
      <table><tr><th>Plant</th><th>Day</th></tr><tr><td>Fern | big</td><td>Monday</td></tr></table>
      <pre><code># comment\nrun()</code></pre><p># no heading</p><footer>(c) nobody</footer></body></html>`,
    "a.html",
  );
  assertEquals([found.docType, found.markup, found.title], ["html", "markdown", "Plants & more"]);
  assertEquals(
    found.text,
    [
      "# Ferns",
      "Water **them**, see the plan for my_long_name.",
      "- one\n\n  - inner\n- two",
      "3. three\n4. four",
      "| Plant | Day |\n| --- | --- |\n| Fern \\| big | Monday |",
      "```\n# comment\nrun()\n```",
      "\\# no heading",
    ].join("\n\n"),
  );
});

Deno.test("extract keeps only the article of a page, or the whole page without one", async () => {
  const sentence = "The fern is a plant that likes shade, water, and being left alone by its owner. ";
  const links = Array.from({ length: 30 }, (_, i) => `<li><a href="/${i}">Link number ${i}</a></li>`).join(
    "",
  );
  const page = `<html><body><div class="sidebar menu"><ul>${links}</ul></div>
    <article><h1>Ferns</h1>${`<p>${sentence.repeat(4)}</p>`.repeat(8)}</article></body></html>`;
  const article = await read(page, "a.html");
  assert(article.text.includes("likes shade") && !article.text.includes("Link number"), article.text);
  const list = await read(`<html><body><ul>${links}</ul></body></html>`, "a.html");
  assert(list.text.includes("Link number 0") && list.text.includes("Link number 29"));
});

Deno.test("extract reads a fragment of HTML", async () => {
  const { text, title } = await read("<h1>Ferns</h1><p>Water.</p>", "a.html");
  assertEquals([text, title], ["# Ferns\n\nWater.", "Ferns"]);
});

Deno.test("the text of a page that omits optional tags before its body is found", async () => {
  for (
    const page of [
      "<html><title>Menu</title><body><p>Espresso</p></body></html>",
      "<!doctype html><html lang=en><meta charset=utf-8><title>Menu</title><body><p>Espresso</p>",
      "<!doctype html><head><title>Menu</title></head><body><p>Espresso</p></body>",
      "<title>Menu</title><p>Espresso</p><!-- <body class=x> -->",
    ]
  ) {
    const { text, title } = await read(page, "a.html");
    assertEquals([text.trim(), title], ["Espresso", "Menu"], page);
  }
});

Deno.test("extract uses the encoding declared by an HTML meta element", async () => {
  const head = encoder.encode('<html><head><meta charset="shift_jis"></head><body><p>');
  const { text } = await read(Uint8Array.from([...head, 0x8d, 0xb2, 0x93, 0xa1]), "a.html");
  assertEquals(text, "佐藤");
});

Deno.test("extract reads a PDF page by page", async () => {
  const found = await read(
    samplePdf(["First (page)\nmore of it", "", "Third page"], { Title: "Report", Author: "Ann" }),
    "a.pdf",
  );
  assertEquals([found.docType, found.markup, found.title], ["pdf", "markdown", "Report"]);
  assertEquals(found.text, "First (page) more of it\n\n\n\nThird page");
  assertEquals(found.pageStarts, [0, 25, 27]);
  assertEquals(found.metadata, { pages: 3, title: "Report", author: "Ann" });
});

Deno.test("extract ignores placeholder titles of PDF writers", async () => {
  for (const Title of ["untitled", "Microsoft Word - report.doc", "report.docx", "(anonymous)", "  "]) {
    assertEquals((await read(samplePdf(["text"], { Title }), "a.pdf")).title, undefined, Title);
  }
});

Deno.test("extract reads a Word document with its headings, title and properties", async () => {
  const core =
    '<cp:coreProperties><dc:creator>Ann &amp; Bo</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">' +
    "2024-05-01T00:00:00Z</dcterms:created></cp:coreProperties>";
  const found = await read(
    sampleDocx(
      [{ text: "The garden", style: "Title" }, { text: "Ferns", style: "Heading1" }, "Water <them> & wait."],
      { "docProps/core.xml": encoder.encode(core) },
    ),
    "a.docx",
  );
  assertEquals([found.docType, found.markup, found.title], ["docx", "markdown", "The garden"]);
  assertEquals(found.text, "# The garden\n\n# Ferns\n\nWater <them> & wait.");
  assertEquals(found.metadata, { author: "Ann & Bo", created: "2024-05-01T00:00:00Z" });
});

Deno.test("extract reads several files of one format concurrently", async () => {
  const found = await Promise.all(["one", "two", "three"].map((text) => read(samplePdf([text]), "a.pdf")));
  assertEquals(found.map(({ text }) => text), ["one", "two", "three"]);
});

const SUPPORTED =
  "Convert it, such as to PDF or text, and upload the result. Supported are PDF, Office and " +
  "OpenDocument files, e-books, web pages, Markdown and other text, tables, e-mail, calendars, contacts, source " +
  "code, and archives of these";
const BINARY = Uint8Array.from({ length: 500 }, (_, i) => (i * 7919) & 0xff);

const REJECTED: [
  what: string,
  Uint8Array<ArrayBuffer> | string,
  filename: string | undefined,
  code: string,
  message: string,
][] = [
  [
    "an empty file",
    "",
    "a.md",
    "no_text",
    "No text found in a.md (it is empty): upload it again with its content",
  ],
  [
    "white space",
    " \n\t\n",
    "a.txt",
    "no_text",
    "No text found in a.txt (it holds only white space): upload a file with words in it",
  ],
  [
    "front matter alone",
    "---\ntitle: x\n---\n\n",
    "a.md",
    "no_text",
    "No text found in a.md (it holds only front matter): write something under it",
  ],
  [
    "a page of scripts",
    "<html><body><script>x()</script></body></html>",
    "a.html",
    "no_text",
    "No text found in a.html (the page is empty without its scripts and navigation): save the page as it is displayed, or as PDF",
  ],
  [
    "a scanned PDF",
    imageOnlyPdf(),
    "a.pdf",
    "no_text",
    "No text found in a.pdf (it looks like a scan: its page is a picture without text): run kb-mcp model install ocr-eng (or another language) and restart the server, or run OCR on it and upload the result",
  ],
  [
    "a Word document without text",
    sampleDocx([""]),
    "a.docx",
    "no_text",
    "No text found in a.docx (it holds only pictures, or nothing at all): run OCR on the pictures and upload the result",
  ],
  [
    "a locked PDF",
    lockedPdf(),
    "a.pdf",
    "encrypted",
    "Cannot read a.pdf: it is password-protected. Remove the password and upload it again",
  ],
  [
    "a broken PDF",
    "%PDF-1.7\nnothing more",
    "a.pdf",
    "damaged",
    "Cannot read a.pdf: it is not a valid PDF, or is damaged. Open it, save it again and upload that",
  ],
  [
    "text named .pdf",
    "words",
    "a.pdf",
    "damaged",
    "Cannot read a.pdf: its name or type says that it is a PDF file, but its bytes are plain text. Upload the original file",
  ],
  [
    "half an archive",
    sampleDocx(["x"]).slice(0, 400),
    "a.docx",
    "damaged",
    "Cannot read a.docx: its archive is truncated or damaged",
  ],
  [
    "a Word document with broken XML",
    sampleDocx(["x"], { "word/document.xml": encoder.encode("<w:document><w:bo") }),
    "a.docx",
    "damaged",
    "Cannot read a.docx: it is not a valid Word document. Open it in Word, save it again and upload that",
  ],
  [
    "binary data named .txt",
    BINARY,
    "a.txt",
    "unsupported_type",
    `Cannot read a.txt: it looks like binary data of an unknown kind. ${SUPPORTED}`,
  ],
  [
    "deeply nested HTML",
    `<html><body>${"<div>".repeat(600)}x`,
    "a.html",
    "damaged",
    "Cannot read a.html: its HTML is nested too deeply, or damaged",
  ],
  [
    "too much HTML",
    `<html><body>${"x".repeat(17 * 2 ** 20)}`,
    "a.html",
    "too_large",
    "Cannot read a.html: its text has more than 16,000,000 characters. Split it into smaller files and upload those",
  ],
  [
    "too much text",
    "x".repeat(16_000_001),
    "a.txt",
    "too_large",
    "Cannot read a.txt: its text has more than 16,000,000 characters. Split it into smaller files and upload those",
  ],
];

for (
  const [what, content, filename, code, message] of REJECTED
) {
  Deno.test(`extract rejects ${what} with ${code} and says what to do`, async () => {
    const error = await assertRejects(() => read(content, filename), ExtractionError);
    assertEquals([error.code, error.message], [code, message]);
  });
}

Deno.test("extract rejects a package that declares more than 64 MiB of XML without unpacking it", async () => {
  const bytes = withDeclaredSize(sampleDocx(["x"]), "word/styles.xml", 2 ** 28);
  const error = await assertRejects(() => read(bytes, "a.docx"), ExtractionError);
  assertEquals(
    [error.code, error.message],
    [
      "too_large",
      "Cannot read a.docx: it holds more than 64 MiB of text and markup. Split it into smaller files and upload those",
    ],
  );
});

Deno.test("extract allocates at most the declared size of an archive entry", async () => {
  const bytes = withDeclaredSize(sampleDocx(["x".repeat(1_000_000)]), "word/document.xml", 400);
  const error = await assertRejects(() => read(bytes, "a.docx"), ExtractionError);
  assertEquals(error.code, "damaged");
});

/** Changes the unpacked size that the central directory declares for an entry (APPNOTE §4.3.12). */
function withDeclaredSize(
  archive: Uint8Array<ArrayBuffer>,
  entry: string,
  size: number,
): Uint8Array<ArrayBuffer> {
  const view = new DataView(archive.buffer);
  for (let at = 0; at < archive.length - 46; at++) {
    if (view.getUint32(at, true) !== 0x02014b50) continue;
    const name = new TextDecoder().decode(archive.subarray(at + 46, at + 46 + view.getUint16(at + 28, true)));
    if (name === entry) view.setUint32(at + 24, size, true);
  }
  return archive;
}

Deno.test("extract keeps the parser's error as the cause", async () => {
  const error = await assertRejects(() => read("%PDF-1.7\nnothing more", "a.pdf"), ExtractionError);
  assert(error.cause instanceof Error);
});

Deno.test("error messages contain file names without control characters, at most 120 characters long", async () => {
  const error = await assertRejects(() => read("", `a\n\u202eb${"x".repeat(5000)}.md`), ExtractionError);
  assert(/^No text found in a bx{50,130}… \(it is empty\)/.test(error.message), error.message);
});

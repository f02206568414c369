/**
 * Files that try to keep an extractor busy, to fill its memory or to crash it.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { sampleDocx, samplePdf } from "../support/samples.ts";

/** A hostile file. */
export interface HostileFile {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

const MiB = 2 ** 20;
const encoder = new TextEncoder();

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

function concat(...parts: (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    Buffer.concat(parts.map((part) => typeof part === "string" ? Buffer.from(part) : part)),
  );
}

/** Returns a PDF without a cross-reference table, which readers rebuild. */
function pdf(...objects: (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const parts = objects.flatMap((object, i) => [`${i + 1} 0 obj\n`, object, "\nendobj\n"]);
  return concat("%PDF-1.4\n", ...parts, "trailer << /Root 1 0 R >>\n%%EOF\n");
}

/** Returns a PDF of one page with a content stream and a font. */
function pdfPage(content: Uint8Array, options: { filter?: string; toUnicode?: string } = {}) {
  const { filter = "", toUnicode } = options;
  return pdf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /Font << /F 4 0 R >> >> /Contents 5 0 R >>",
    toUnicode === undefined
      ? "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
      : "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>",
    concat(`<< /Length ${content.byteLength} ${filter} >>\nstream\n`, content, "\nendstream"),
    "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo << /Registry (A) /Ordering (I) /Supplement 0 >> >>",
    `<< /Length ${toUnicode?.length ?? 0} >>\nstream\n${toUnicode ?? ""}\nendstream`,
  );
}

/**
 * A PDF of about 2 KB whose character map lists the same ranges of millions of characters again and again. PDF.js, which reads it only where
 * PDFium fails, writes one entry for
 * each, without a pause in which a timer could run.
 */
export function cmapLoopPdf(): Uint8Array<ArrayBuffer> {
  const ranges = Array.from({ length: 60 }, (_, i) => {
    const plane = (i % 4).toString(16).padStart(2, "0");
    return `<${plane}000000> <${plane}FFFFF0> <0041>`;
  });
  return pdfPage(bytes("BT /F 9 Tf <0001> Tj ET"), {
    toUnicode:
      `1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange\n${ranges.length} beginbfrange\n${
        ranges.join("\n")
      }\nendbfrange`,
  });
}

/**
 * A PDF of 9 MB whose page unpacks to 512 MiB of text operators, which PDFium reads in one call, without a
 * pause in which a timer could run.
 */
export function inflatingPdf(): Uint8Array<ArrayBuffer> {
  const page = Buffer.alloc(512 * MiB, "(aaaaaaaaaaaaaaaaaaaaaaaa) Tj T*\n");
  return pdfPage(deflateSync(page, { level: 1 }), { filter: "/Filter /FlateDecode" });
}

/** A PDF whose pages are a cycle. */
function cyclicPdf(): Uint8Array<ArrayBuffer> {
  return pdf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [2 0 R 2 0 R 2 0 R] /Count 100000 >>",
  );
}

/** A DOCX of some hundred KB with one file that unpacks to 400 MiB. */
function zipBomb(entry: string): Uint8Array<ArrayBuffer> {
  return zipSync({
    ...docxSkeleton(),
    [entry]: [new Uint8Array(400 * MiB), { level: 1 }],
  }) as Uint8Array<ArrayBuffer>;
}

/** A DOCX that unpacks to 64 MiB and declares 100 bytes in both headers of the entry. */
function lyingZip(): Uint8Array<ArrayBuffer> {
  const size = 64 * MiB;
  const archive = zipSync({ ...docxSkeleton(), "word/document.xml": [new Uint8Array(size), { level: 1 }] });
  const view = new DataView(archive.buffer);
  for (let i = 0; i + 4 <= archive.byteLength; i++) {
    if (view.getUint32(i, true) === size) view.setUint32(i, 100, true);
  }
  return archive as Uint8Array<ArrayBuffer>;
}

/** A DOCX with 100,000 nested tables. */
function nestedDocx(): Uint8Array<ArrayBuffer> {
  const depth = 100_000;
  const body = "<w:tbl><w:tr><w:tc>".repeat(depth) + "</w:tc></w:tr></w:tbl>".repeat(depth);
  return zipSync({
    ...docxSkeleton(),
    "word/document.xml": strToU8(
      `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    ),
  }) as Uint8Array<ArrayBuffer>;
}

function docxSkeleton(): Record<string, Uint8Array> {
  return {
    "[Content_Types].xml": strToU8(
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ' +
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    ),
    "_rels/.rels": strToU8(
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" ' +
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    ),
  };
}

/** Generates one hostile file of every kind. */
export async function hostileFiles(): Promise<HostileFile[]> {
  const docx = await sampleDocx(["A paragraph of a document that was cut."]);
  const paper = samplePdf(["A page of a document that was cut."]);
  const random = crypto.getRandomValues(new Uint8Array(64 * 1024));
  return [
    { name: "cmap-loop.pdf", content: cmapLoopPdf() },
    { name: "inflating.pdf", content: inflatingPdf() },
    { name: "cyclic.pdf", content: cyclicPdf() },
    { name: "truncated.pdf", content: paper.slice(0, paper.byteLength / 2) },
    { name: "random.pdf", content: concat("%PDF-1.7\n", random) },
    { name: "document-bomb.docx", content: zipBomb("word/document.xml") },
    { name: "picture-bomb.docx", content: zipBomb("word/media/image1.png") },
    { name: "lying.docx", content: lyingZip() },
    { name: "nested.docx", content: nestedDocx() },
    { name: "truncated.docx", content: new Uint8Array(docx.slice(0, docx.byteLength / 2)) },
    { name: "random.docx", content: concat("PK\x03\x04", random) },
    { name: "nested.html", content: bytes(`<html><body>${"<div>".repeat(190_000)}text`) },
    {
      name: "formatting.html",
      content: bytes(`<p>${"<b><i><a href=x>".repeat(20_000)}text${"<p>".repeat(20_000)}`),
    },
    { name: "tables.html", content: bytes("<table><tr><td>".repeat(60_000) + "text") },
    {
      name: "attributes.html",
      content: bytes(`<p ${Array.from({ length: 50_000 }, (_, i) => `a${i}=1`).join(" ")}>text`),
    },
    { name: "entities.html", content: bytes(`<p>${"&amp;&#x41;&notin;".repeat(300_000)}`) },
    { name: "spaces.html", content: bytes(`<p>text${" ".repeat(8 * MiB)}text`) },
    {
      name: "aliases.md",
      content: bytes(
        `---\na0: &a0 [x]\n${
          Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`).join("\n")
        }\n---\ntext`,
      ),
    },
    { name: "words.txt", content: bytes("a".repeat(8 * MiB)) },
    { name: "control.txt", content: concat(random, "text") },
  ];
}

/** Returns a copy of a file that differs from every other, at its end, where readers of its type ignore it. */
export function variant({ name, content }: HostileFile, n: number): HostileFile {
  return { name: `${n}-${name}`, content: concat(content, `\n${n}`) };
}

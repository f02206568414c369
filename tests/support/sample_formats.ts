/**
 * One small valid file of each format.
 *
 * @module
 */
import { gzipSync, strToU8, zipSync } from "fflate";
import type { FormatId } from "../../src/contract/mod.ts";
import { sampleEpub, sampleOdp, sampleOds, sampleOdt, samplePptx, sampleXlsx } from "./sample_packages.ts";
import { sampleDocx, samplePdf } from "./samples.ts";

/** A file with a text that its reader must find. */
export interface SampleFile {
  readonly format: FormatId;
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Returns one file of each format that can be generated here: all but those that wrap binary records in an OLE2 file,
 * and images.
 *
 * @param text Words of ASCII letters that each file contains, in this order and on one line.
 */
export function sampleFiles(text: string): SampleFile[] {
  const samples: readonly (readonly [FormatId, string, string | Uint8Array<ArrayBuffer>])[] = [
    ["pdf", "sample.pdf", samplePdf([text, "Second page"], { Title: "Report" })],
    ["docx", "sample.docx", sampleDocx([{ text: "Heading", style: "Heading1" }, text])],
    ["pptx", "sample.pptx", samplePptx(["First slide", text], "Notes of the speaker")],
    ["xlsx", "sample.xlsx", sampleXlsx([["Name", "Amount"], [text, 12.5], ["Other", 3]])],
    ["odt", "sample.odt", sampleOdt(["First paragraph", text])],
    ["odp", "sample.odp", sampleOdp(["First slide", text])],
    ["ods", "sample.ods", sampleOds([["Name", "Place"], [text, "Rome"]])],
    ["epub", "sample.epub", sampleEpub("Book", ["First chapter", text])],
    ["rtf", "sample.rtf", `{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Times;}}\\pard First line\\par ${text}\\par}`],
    [
      "html",
      "sample.html",
      `<!doctype html><html><head><title>T</title></head><body><p>${text}</p></body></html>`,
    ],
    ["mhtml", "sample.mhtml", mhtml(text)],
    [
      "markdown",
      "sample.md",
      `---\ntags: [x]\n---\n# Heading\n\n${text}\n\n| a | b |\n| - | - |\n| 1 | 2 |\n`,
    ],
    ["text", "sample.txt", `First line\n${text}\n`],
    ["csv", "sample.csv", `name,amount\n"${text}",3\nother,4\n`],
    ["csv", "sample.tsv", `name\tamount\n${text}\t3\nother\t4\n`],
    ["json", "sample.json", JSON.stringify({ title: "T", items: [{ text }, { text: "other" }] })],
    ["json", "sample.jsonl", `${JSON.stringify({ text })}\n${JSON.stringify({ text: "other" })}\n`],
    ["xml", "sample.xml", `<?xml version="1.0"?><notes><note lang="en">${text}</note></notes>`],
    ["xml", "sample.rss", rss(text)],
    ["ipynb", "sample.ipynb", notebook(text)],
    ["eml", "sample.eml", email(text)],
    ["subtitles", "sample.vtt", `WEBVTT\n\n00:01.000 --> 00:04.000\n${text}\n`],
    ["subtitles", "sample.srt", `1\n00:00:01,000 --> 00:00:04,000\n${text}\n`],
    ["asciidoc", "sample.adoc", `= Title\n\n== Section\n\n${text}\n`],
    ["rst", "sample.rst", `Title\n=====\n\n${text}\n\n.. note:: A note\n`],
    ["org", "sample.org", `#+TITLE: Title\n* Heading\n${text}\n`],
    ["latex", "sample.tex", latex(text)],
    ["bibtex", "sample.bib", `@book{fox, author = {Ann Lee}, title = {${text}}, year = 2026}\n`],
    ["ris", "sample.ris", `TY  - BOOK\nAU  - Lee, Ann\nTI  - ${text}\nPY  - 2026\nER  - \n`],
    [
      "ics",
      "sample.ics",
      `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nSUMMARY:Plans\r\nDTSTART:20260303T100000Z\r\nDESCRIPTION:${text}\r\n` +
      "END:VEVENT\r\nEND:VCALENDAR\r\n",
    ],
    ["vcf", "sample.vcf", `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ann Lee\r\nNOTE:${text}\r\nEND:VCARD\r\n`],
    ["man", "sample.1", `.TH SAMPLE 1\n.SH NAME\nsample \\- test\n.SH DESCRIPTION\n${text}\n`],
    ["code", "sample.py", `def first():\n    """${text}"""\n    return 1\n`],
    ["archive", "sample.zip", zipSync({ "notes/a.txt": strToU8(text) })],
    ["archive", "sample.tar", tar("notes/a.txt", text)],
    ["archive", "sample.tgz", new Uint8Array(gzipSync(tar("notes/a.txt", text), { mtime: 0 }))],
  ];
  return samples.map(([format, filename, content]) => ({
    format,
    filename,
    bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
  }));
}

function mhtml(text: string): string {
  return [
    "From: <Saved by Blink>",
    "Subject: Page",
    "MIME-Version: 1.0",
    'Content-Type: multipart/related; type="text/html"; boundary="part"',
    "",
    "--part",
    "Content-Type: text/html; charset=utf-8",
    "Content-Transfer-Encoding: quoted-printable",
    "Content-Location: https://example.com/",
    "",
    `<html><body><p class=3D"x">${text}</p></body></html>`,
    "--part--",
    "",
  ].join("\r\n");
}

function email(text: string): string {
  return [
    "From: Ann <ann@example.com>",
    "To: Ben <ben@example.com>",
    "Subject: Plans",
    "Date: Tue, 03 Mar 2026 10:00:00 +0000",
    "Message-ID: <1@example.com>",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="part"',
    "",
    "--part",
    "Content-Type: text/plain; charset=utf-8",
    "",
    text,
    "--part",
    'Content-Type: text/plain; name="notes.txt"',
    'Content-Disposition: attachment; filename="notes.txt"',
    "Content-Transfer-Encoding: base64",
    "",
    btoa("Text of the attachment"),
    "--part--",
    "",
  ].join("\r\n");
}

function rss(text: string): string {
  return '<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title><link>https://example.com</link>' +
    `<item><title>Item</title><description>${text}</description></item></channel></rss>`;
}

function notebook(text: string): string {
  return JSON.stringify({
    cells: [
      { cell_type: "markdown", metadata: {}, source: ["# Title\n", text] },
      { cell_type: "code", execution_count: 1, metadata: {}, outputs: [], source: ["print(1)"] },
    ],
    metadata: { language_info: { name: "python" } },
    nbformat: 4,
    nbformat_minor: 5,
  });
}

function latex(text: string): string {
  return `\\documentclass{article}\n\\title{Title}\n\\begin{document}\n\\section{One}\n${text}\n\\end{document}\n`;
}

/** Returns a tar archive of one file (POSIX.1-1988 `ustar`). */
function tar(name: string, text: string): Uint8Array<ArrayBuffer> {
  const content = strToU8(text);
  const archive = new Uint8Array(512 + 512 * Math.ceil(content.length / 512) + 1024);
  const field = (offset: number, value: string) => archive.set(strToU8(value), offset);
  field(0, name);
  field(100, "0000644\0");
  field(108, "0000000\0");
  field(116, "0000000\0");
  field(124, `${content.length.toString(8).padStart(11, "0")}\0`);
  field(136, "00000000000\0");
  field(148, "        ");
  field(156, "0");
  field(257, "ustar\x0000");
  const checksum = archive.subarray(0, 512).reduce((sum, byte) => sum + byte, 0);
  field(148, `${checksum.toString(8).padStart(6, "0")}\0 `);
  archive.set(content, 512);
  return archive;
}

import { assertEquals } from "@std/assert";
import { detect, type Detection } from "../../src/extraction/detect.ts";
import { sampleDocx, samplePdf } from "../support/samples.ts";

const encoder = new TextEncoder();
const TEXT = "Plain words.\n";
const BINARY = Uint8Array.from({ length: 300 }, (_, i) => (i * 7919) & 0xff);

function bytesOf(content: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof content === "string" ? encoder.encode(content) : content;
}

/** Returns one byte per code unit. */
function raw(units: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(units, (unit) => unit.charCodeAt(0));
}

function describe(detection: Detection): string {
  return "format" in detection
    ? detection.format
    : "unsupported" in detection
    ? `no: ${detection.unsupported}`
    : "mismatch";
}

type Case = [
  filename: string | undefined,
  type: string | undefined,
  Uint8Array<ArrayBuffer> | string,
  string,
];
const CASES: Case[] = [
  // Binary formats are detected by content.
  ["a.txt", "text/plain", samplePdf(["x"]), "pdf"],
  ["a.pdf", undefined, raw("\x00junk before the header %PDF-1.4\n\x00"), "pdf"],
  ["a.dat", undefined, raw("\x01\x02\x00junk %PDF-1.7\n\x00"), "pdf"],
  ["notes.txt", undefined, "A file starts with %PDF- when it is one.", "text"],
  ["a.txt", "text/plain", sampleDocx(["x"]), "zip"],
  [undefined, undefined, "PK\u0005\u0006" + "\0".repeat(18), "zip"],
  ["a.txt", undefined, "<!DOCTYPE html><p>x", "html"],
  ["a.txt", undefined, "\ufeff \n<!-- saved -->\n<HTML lang=en>", "html"],
  [undefined, undefined, '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x">', "html"],
  ["a.md", undefined, "<htmlish> is no tag", "markdown"],
  ["a.txt", undefined, "{\\rtf1\\ansi words}", "rtf"],
  ["a.rtf", undefined, "{\\pard a fragment\\par}", "rtf"],
  ["a.txt", undefined, "{\\pard a fragment\\par}", "text"],
  ["a.txt", undefined, '[["a", 1], ["b", 2]]', "json"],
  ["a.txt", undefined, "[[-1.5, 2]]", "json"],
  ["a.txt", undefined, "[ [ [] ] ]", "json"],
  ["a.txt", undefined, "[[def_tree]]tree object::\n\tAn object.", "text"],
  ["a.txt", undefined, "[[server]]\nport = 1", "text"],
  ["a.txt", undefined, "[[Home page]] has links.", "text"],
  ["a.txt", undefined, "%!PS-Adobe-3.0\n", "no: a PostScript document"],
  ["garbage.txt", "text/plain", BINARY, "no: binary data of an unknown kind"],
  ["garbage.md", undefined, raw("\xff\xd8\xff\xe0\0\x10JFIF\0"), "image"],
  ["x", undefined, raw("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "image"],
  ["x", undefined, raw("RIFF\0\0\0\0WEBPVP8 "), "image"],
  ["x", undefined, raw("\0\0\0\x18ftypmp42\0\0"), "no: an MP4 or QuickTime video"],
  ["x", undefined, raw("\x7fELF\x02\x01\x01\0"), "no: a program for Linux"],
  ["x", undefined, raw("SQLite format 3\0\x10\0"), "no: an SQLite database"],
  ["x", undefined, raw("\x1f\x8b\x08\0\0\0"), "archive"],
  ["a.xls", undefined, raw("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0"), "ole2"],
  ["a.docx", undefined, raw("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0"), "ole2"],
  ["a.mdb", undefined, raw("\0\x01\0\0Standard Jet DB\0"), "no: an Access database"],
  ["a.pdf", undefined, TEXT, "mismatch"],
  ["a", "application/pdf", TEXT, "mismatch"],
  ["a.docx", undefined, TEXT, "mismatch"],
  ["a.odt", undefined, TEXT, "mismatch"],
  ["a.doc", undefined, "<html><body>Saved from Word", "html"],
  ["a.xls", undefined, "a\tb\n", "text"],
  // Text that starts with a signature is still text.
  ["a.txt", undefined, "BM is what a bitmap starts with", "text"],
  ["a.txt", undefined, "MZ, ID3 and Rar! too", "text"],
  // Text formats are detected by name.
  ["a.md", "text/plain", TEXT, "markdown"],
  ["A.MARKDOWN", undefined, TEXT, "markdown"],
  ["a.htm", undefined, TEXT, "html"],
  ["a.txt", "text/html", TEXT, "text"],
  ["a.csv", undefined, "a,b\n1,2\n", "csv"],
  ["main.rs", undefined, "fn main() {}", "code"],
  ["archive.v2.unknown", undefined, TEXT, "text"],
  ["notes.", "text/markdown", TEXT, "markdown"],
  // Without an extension, the media type decides.
  ["README", "text/markdown; charset=utf-8", TEXT, "markdown"],
  [undefined, "TEXT/HTML", TEXT, "html"],
  [undefined, "application/xhtml+xml", TEXT, "html"],
  [undefined, "image/png", TEXT, "text"],
  [undefined, undefined, TEXT, "text"],
  // UTF-16 is text in spite of its zero bytes.
  ["a.txt", undefined, raw("\xff\xfeW\0o\0r\0d\0s\0"), "text"],
  ["a.txt", undefined, raw("W\0o\0r\0d\0s\0.\0"), "text"],
];

Deno.test("detect considers bytes, then the name, then the media type", () => {
  for (const [filename, contentType, content, expected] of CASES) {
    const detection = detect({ bytes: bytesOf(content), filename, contentType });
    assertEquals(describe(detection), expected, `${filename} ${contentType}`);
  }
});

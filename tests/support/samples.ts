/**
 * Generates small PDF and DOCX files.
 *
 * @module
 */
import { strToU8, zipSync } from "fflate";

const encoder = new TextEncoder();

/**
 * Returns a PDF 1.4 with one page per text, in Helvetica.
 *
 * @param pages Texts of printable ASCII.
 * @param info Entries of the information dictionary, such as `{ Title: "Report" }`.
 */
export function samplePdf(pages: string[], info: Record<string, string> = {}): Uint8Array<ArrayBuffer> {
  return writePdf(
    pages.map((page) => {
      const lines = page.split("\n").map((line) => `(${escapeString(line)}) Tj T*`);
      return `BT /F1 11 Tf 14 TL 60 780 Td ${lines.join("\n")} ET`;
    }),
    info,
  );
}

/** Returns a PDF page with a grey rectangle and no text, like a scan. */
export function imageOnlyPdf(): Uint8Array<ArrayBuffer> {
  return writePdf(["q 0.5 g 60 60 400 600 re f Q"]);
}

/** Returns a PDF that needs a password (ISO 32000-1, 7.6.3; its check values match no password). */
export function lockedPdf(): Uint8Array<ArrayBuffer> {
  const zeros = `<${"00".repeat(32)}>`;
  const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${zeros} /U ${zeros} /P -4 >> /ID [<00> <00>]`;
  return writePdf(["BT /F1 11 Tf (secret) Tj ET"], {}, lock);
}

function writePdf(
  contents: string[],
  info: Record<string, string> = {},
  trailer = "",
): Uint8Array<ArrayBuffer> {
  const kids = contents.map((_, i) => `${5 + 2 * i} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    `<< ${Object.entries(info).map(([key, value]) => `/${key} (${escapeString(value)})`).join(" ")} >>`,
    ...contents.flatMap((content, i) => [
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] " +
      `/Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + 2 * i} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, i) => {
    const offset = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${entries}` +
    `trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R ${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`;
  return encoder.encode(file);
}

/** Escapes the content of a PDF string (ISO 32000-1, 7.3.4.2). */
function escapeString(text: string): string {
  return text.replace(/[\\()]/g, "\\$&");
}

/** A paragraph of {@linkcode sampleDocx}: text, optionally with a style (`Heading1`, `Title`). */
export type SampleParagraph = string | { readonly text: string; readonly style: string };

const WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const TYPES = "application/vnd.openxmlformats-officedocument.wordprocessingml";
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/**
 * Returns a Word document with these paragraphs.
 *
 * @param parts Additional or replaced entries of the archive, by name.
 */
export function sampleDocx(
  paragraphs: SampleParagraph[],
  parts: Record<string, Uint8Array> = {},
): Uint8Array<ArrayBuffer> {
  const body = paragraphs.map((paragraph) => {
    const { text, style } = typeof paragraph === "string" ? { text: paragraph, style: "Normal" } : paragraph;
    return `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>` +
      `<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`;
  });
  const styles = [["Normal", "Normal"], ["Title", "Title"], ["Heading1", "heading 1"], [
    "Heading2",
    "heading 2",
  ]]
    .map(([id, name]) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`);
  return zipSync({
    "[Content_Types].xml": strToU8(
      `${XML}<Types xmlns="${PACKAGE}/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        `<Override PartName="/word/document.xml" ContentType="${TYPES}.document.main+xml"/>` +
        `<Override PartName="/word/styles.xml" ContentType="${TYPES}.styles+xml"/></Types>`,
    ),
    "_rels/.rels": strToU8(
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
        `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    "word/_rels/document.xml.rels": strToU8(
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
        `<Relationship Id="rId1" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    ),
    "word/document.xml": strToU8(
      `${XML}<w:document xmlns:w="${WORD}"><w:body>${body.join("")}</w:body></w:document>`,
    ),
    "word/styles.xml": strToU8(`${XML}<w:styles xmlns:w="${WORD}">${styles.join("")}</w:styles>`),
    ...parts,
  });
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

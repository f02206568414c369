/**
 * Generates small office files and e-books. The Word files are in `samples.ts`.
 *
 * @module
 */
import { strToU8, zipSync } from "fflate";

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const TYPES = "application/vnd.openxmlformats-officedocument";
const ODF = "urn:oasis:names:tc:opendocument:xmlns";

/** Returns a presentation with one slide per text and speaker notes for the first one. */
export function samplePptx(slides: readonly string[], notes?: string): Uint8Array<ArrayBuffer> {
  const names = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${OFFICE}" ` +
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';
  const tree = (text: string, placeholder: string) =>
    `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` +
    `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Text"/><p:cNvSpPr/><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr>` +
    `<p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>${escapeXml(text)}</a:t></a:r></a:p></p:txBody></p:sp>` +
    "</p:spTree></p:cSld>";
  const ids = slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="rId${i + 1}"/>`).join("");
  return archive({
    ...ooxml(
      "ppt/presentation.xml",
      `${TYPES}.presentationml.presentation.main+xml`,
      {
        ...Object.fromEntries(
          slides.map((_, i) => [`/ppt/slides/slide${i + 1}.xml`, `${TYPES}.presentationml.slide+xml`]),
        ),
        ...(notes === undefined
          ? {}
          : { "/ppt/notesSlides/notesSlide1.xml": `${TYPES}.presentationml.notesSlide+xml` }),
      },
    ),
    "ppt/presentation.xml": `${XML}<p:presentation ${names}><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationships(
      slides.map((_, i) => ["slide", `slides/slide${i + 1}.xml`] as const),
    ),
    ...Object.fromEntries(
      slides.map((text, i) => [
        `ppt/slides/slide${i + 1}.xml`,
        `${XML}<p:sld ${names}>${tree(text, "title")}</p:sld>`,
      ]),
    ),
    ...(notes === undefined ? {} : {
      "ppt/slides/_rels/slide1.xml.rels": relationships([[
        "notesSlide",
        "../notesSlides/notesSlide1.xml",
      ]]),
      "ppt/notesSlides/notesSlide1.xml": `${XML}<p:notes ${names}>${tree(notes, "body")}</p:notes>`,
    }),
  });
}

/** Returns a workbook with one sheet of texts and numbers. */
export function sampleXlsx(rows: readonly (readonly (string | number)[])[]): Uint8Array<ArrayBuffer> {
  const names = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"`;
  const strings = [...new Set(rows.flat().filter((cell) => typeof cell === "string"))];
  const cell = (value: string | number, row: number, column: number) => {
    const reference = `${String.fromCharCode(65 + column)}${row + 1}`;
    return typeof value === "number"
      ? `<c r="${reference}"><v>${value}</v></c>`
      : `<c r="${reference}" t="s"><v>${strings.indexOf(value)}</v></c>`;
  };
  const data = rows.map((cells, row) =>
    `<row r="${row + 1}">${cells.map((value, column) => cell(value, row, column)).join("")}</row>`
  );
  return archive({
    ...ooxml("xl/workbook.xml", `${TYPES}.spreadsheetml.sheet.main+xml`, {
      "/xl/worksheets/sheet1.xml": `${TYPES}.spreadsheetml.worksheet+xml`,
      "/xl/sharedStrings.xml": `${TYPES}.spreadsheetml.sharedStrings+xml`,
    }),
    "xl/workbook.xml":
      `${XML}<workbook ${names}><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships([
      ["worksheet", "worksheets/sheet1.xml"],
      ["sharedStrings", "sharedStrings.xml"],
    ]),
    "xl/worksheets/sheet1.xml": `${XML}<worksheet ${names}><sheetData>${
      data.join("")
    }</sheetData></worksheet>`,
    "xl/sharedStrings.xml": `${XML}<sst ${names} count="${strings.length}" uniqueCount="${strings.length}">${
      strings.map((text) => `<si><t>${escapeXml(text)}</t></si>`).join("")
    }</sst>`,
  });
}

/** Returns an OpenDocument text with paragraphs. */
export function sampleOdt(paragraphs: readonly string[]): Uint8Array<ArrayBuffer> {
  return openDocument("text", paragraphs.map(odfParagraph).join(""));
}

/** Returns an OpenDocument presentation with one slide per text. */
export function sampleOdp(slides: readonly string[]): Uint8Array<ArrayBuffer> {
  const page = (text: string, i: number) =>
    `<draw:page draw:name="page${i + 1}"><draw:frame><draw:text-box>${
      odfParagraph(text)
    }</draw:text-box></draw:frame></draw:page>`;
  return openDocument("presentation", slides.map(page).join(""));
}

/** Returns an OpenDocument spreadsheet with one sheet of texts. */
export function sampleOds(rows: readonly (readonly string[])[]): Uint8Array<ArrayBuffer> {
  const cell = (text: string) =>
    `<table:table-cell office:value-type="string">${odfParagraph(text)}</table:table-cell>`;
  const body = rows.map((row) => `<table:table-row>${row.map(cell).join("")}</table:table-row>`);
  return openDocument("spreadsheet", `<table:table table:name="Data">${body.join("")}</table:table>`);
}

/** Returns an EPUB with one chapter per text. */
export function sampleEpub(title: string, chapters: readonly string[]): Uint8Array<ArrayBuffer> {
  const items = chapters.map((_, i) =>
    `<item id="c${i}" href="chapter${i}.xhtml" media-type="application/xhtml+xml"/>`
  );
  const spine = chapters.map((_, i) => `<itemref idref="c${i}"/>`);
  return archive({
    mimetype: "application/epub+zip",
    "META-INF/container.xml":
      `${XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>` +
      '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    "OEBPS/book.opf":
      `${XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">` +
      '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:uuid:1</dc:identifier>' +
      `<dc:title>${escapeXml(title)}</dc:title><dc:language>en</dc:language></metadata>` +
      `<manifest>${items.join("")}</manifest><spine>${spine.join("")}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((text, i) => [
        `OEBPS/chapter${i}.xhtml`,
        `${XML}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Chapter</title></head><body><p>${
          escapeXml(text)
        }</p></body></html>`,
      ]),
    ),
  });
}

function ooxml(main: string, type: string, parts: Record<string, string>): Record<string, string> {
  const overrides = Object.entries({ [`/${main}`]: type, ...parts })
    .map(([name, contentType]) => `<Override PartName="${name}" ContentType="${contentType}"/>`);
  return {
    "[Content_Types].xml": `${XML}<Types xmlns="${PACKAGE}/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Default Extension="xml" ContentType="application/xml"/>${overrides.join("")}</Types>`,
    "_rels/.rels": relationships([["officeDocument", main]]),
  };
}

/** Returns a part with relationships of `rId1`, `rId2`, …, as pairs of type and target. */
function relationships(targets: readonly (readonly [string, string])[]): string {
  const rows = targets.map(([type, target], i) =>
    `<Relationship Id="rId${i + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`
  );
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${rows.join("")}</Relationships>`;
}

function openDocument(
  kind: "text" | "presentation" | "spreadsheet",
  body: string,
): Uint8Array<ArrayBuffer> {
  const type = `application/vnd.oasis.opendocument.${kind}`;
  const names = ["office", "text", "table"].map((name) => `xmlns:${name}="${ODF}:${name}:1.0"`).join(" ");
  return archive({
    mimetype: type,
    "content.xml":
      `${XML}<office:document-content ${names} xmlns:draw="${ODF}:drawing:1.0" office:version="1.3">` +
      `<office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    "styles.xml":
      `${XML}<office:document-styles ${names} office:version="1.3"><office:styles/></office:document-styles>`,
    "META-INF/manifest.xml":
      `${XML}<manifest:manifest xmlns:manifest="${ODF}:manifest:1.0" manifest:version="1.3">` +
      `<manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/>` +
      '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>',
  });
}

function odfParagraph(text: string): string {
  return `<text:p>${escapeXml(text)}</text:p>`;
}

function archive(entries: Record<string, string>): Uint8Array<ArrayBuffer> {
  return zipSync(
    Object.fromEntries(
      Object.entries(entries).map(([name, text]) => [
        name,
        // EPUB and OpenDocument store their type without compression.
        [strToU8(text), { level: name === "mimetype" ? 0 : 6 }] as const,
      ]),
    ),
  );
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

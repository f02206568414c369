import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { strToU8, zipSync } from "fflate";
import { ExtractionError } from "../../src/extraction/errors.ts";
import { ole2Format, zipFormat } from "../../src/extraction/packages.ts";
import { sampleOle2 } from "../support/sample_ole2.ts";

/** Returns a package with these entries. */
function pack(entries: Record<string, string>): Uint8Array<ArrayBuffer> {
  return zipSync(Object.fromEntries(Object.entries(entries).map(([name, text]) => [name, strToU8(text)])));
}

/** Returns the content types of an Office package with this main part. */
function contentTypes(type: string): Record<string, string> {
  return {
    "[Content_Types].xml":
      `<Types><Override PartName="/main.xml" ContentType="application/${type}"/></Types>`,
  };
}

const OOXML = "vnd.openxmlformats-officedocument";
const CONTAINER = {
  "META-INF/container.xml": '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
};

function encryption(algorithm: string): Record<string, string> {
  return {
    "META-INF/encryption.xml":
      `<enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/></enc:EncryptedData>`,
  };
}

function manifest(mediaType: string, content = ""): Record<string, string> {
  return {
    "META-INF/manifest.xml": `<manifest:manifest><manifest:file-entry manifest:full-path="/" ` +
      `manifest:media-type="${mediaType}"/>${content}</manifest:manifest>`,
    "content.xml": "<x/>",
  };
}

const ODF = "application/vnd.oasis.opendocument";

const ZIP_CASES: [entries: Record<string, string>, expected: string, filename?: string][] = [
  [contentTypes(`${OOXML}.wordprocessingml.document.main+xml`), "docx"],
  [contentTypes(`${OOXML}.wordprocessingml.template.main+xml`), "docx"],
  [contentTypes("vnd.ms-word.document.macroEnabled.main+xml"), "docx"],
  [contentTypes("vnd.ms-word.template.macroEnabledTemplate.main+xml"), "docx"],
  [contentTypes(`${OOXML}.spreadsheetml.sheet.main+xml`), "xlsx"],
  [contentTypes("vnd.ms-excel.sheet.macroEnabled.main+xml"), "xlsx"],
  [
    { ...contentTypes("vnd.ms-excel.sheet.binary.macroEnabled.main"), "xl/workbook.bin": "" },
    "no: an Excel binary workbook (.xlsb)",
  ],
  [
    {
      "[Content_Types].xml":
        `vnd.ms-excel.sheet.binary.macroEnabled.main application/vnd.${OOXML}.spreadsheetml.sheet.main+xml`,
    },
    "xlsx",
  ],
  [contentTypes(`${OOXML}.presentationml.slideshow.main+xml`), "pptx"],
  [contentTypes("vnd.ms-powerpoint.presentation.macroEnabled.main+xml"), "pptx"],
  [contentTypes("vnd.ms-package.xps-fixeddocumentsequence+xml"), "no: an XPS document"],
  [contentTypes("vnd.ms-visio.drawing.main+xml"), "no: a Visio drawing"],
  [{ ...contentTypes("x"), "ppt/presentation.xml": "" }, "pptx"],
  [{ mimetype: `${ODF}.text` }, "odt"],
  [{ mimetype: `${ODF}.text-template` }, "odt"],
  [{ mimetype: `${ODF}.presentation` }, "odp"],
  [{ mimetype: `${ODF}.spreadsheet-template` }, "ods"],
  [{ mimetype: "application/vnd.sun.xml.writer" }, "odt"],
  [manifest(`${ODF}.text`), "odt"],
  [{ mimetype: `${ODF}.graphics` }, "no: an OpenDocument drawing, chart, formula or database"],
  [{ mimetype: `${ODF}.text`, ...manifest("", "<manifest:encryption-data/>") }, "encrypted"],
  [{ mimetype: "application/epub+zip" }, "epub"],
  [CONTAINER, "epub"],
  [{ ...CONTAINER, ...encryption("http://www.idpf.org/2008/embedding") }, "epub"],
  [{ ...CONTAINER, ...encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc") }, "encrypted"],
  [{ "Index/Document.iwa": "" }, "no: a Keynote presentation", "talk.key"],
  [{ "Index/Document.iwa": "" }, "no: a Pages, Numbers or Keynote document", "talk"],
  [{ "META-INF/MANIFEST.MF": "" }, "no: a Java archive"],
  [{ "META-INF/MANIFEST.MF": "", "classes.dex": "" }, "no: an Android app"],
  [{ "notes/today.md": "# Today" }, "archive", "notes.zip"],
  [{ "notes/today.md": "# Today" }, "damaged", "notes.docx"],
];

Deno.test("zipFormat reads the kind of a package from its content types, media type or manifest", async () => {
  for (const [entries, expected, filename] of ZIP_CASES) {
    const file = { bytes: pack(entries), filename, contentType: undefined };
    assertEquals(await zipFormat(file, "a").catch(describe), expected, Object.keys(entries).join());
  }
});

Deno.test("zipFormat does not unpack a description that declares a huge size", async () => {
  const bytes = pack({ mimetype: "application/epub+zip", "a.txt": "x" });
  const view = new DataView(bytes.buffer);
  const directory = view.getUint32(bytes.length - 6, true);
  view.setUint32(directory + 24, 2 ** 30, true);
  assertEquals(await zipFormat({ bytes, filename: "a.zip", contentType: undefined }, "a.zip"), "archive");
});

Deno.test("zipFormat rejects a truncated package", async () => {
  const bytes = pack({ mimetype: "application/epub+zip" }).slice(0, -30);
  await assertRejects(
    () => zipFormat({ bytes, filename: "a", contentType: undefined }, "a"),
    ExtractionError,
  );
});

/** A file information block with these flags in its byte 11. */
const FIB = (flags: number) => Uint8Array.of(0xec, 0xa5, 0xc1, 0, 0, 0, 0, 0, 0, 0, 0, flags);
/** The first records of a workbook: BOF and the next one. */
const WORKBOOK = (next: number) => Uint8Array.of(9, 8, 2, 0, 0, 6, next, 0, 0, 0, 0x85, 0, 0, 0);
const TOKEN = Uint8Array.of(20, 0, 0, 0, 0xf6, 0x0f, 0, 0, 20, 0, 0, 0, 0xdf, 0xc4, 0xd1, 0xf3);

const OLE2_CASES: [streams: Record<string, Uint8Array>, expected: string][] = [
  [{ WordDocument: FIB(0), "1Table": FIB(0) }, "doc"],
  [{ WordDocument: FIB(1) }, "encrypted"],
  [{ Workbook: WORKBOOK(0x0a) }, "xls"],
  [{ Book: WORKBOOK(0x0a) }, "xls"],
  [{ Workbook: WORKBOOK(0x2f) }, "encrypted"],
  [{ "PowerPoint Document": FIB(0) }, "no: a PowerPoint 97–2003 presentation (save it as .pptx)"],
  [{ "PowerPoint Document": FIB(0), "Current User": TOKEN }, "encrypted"],
  [{ "__properties_version1.0": FIB(0) }, "msg"],
  [{ EncryptedPackage: FIB(0), EncryptionInfo: FIB(0) }, "encrypted"],
  [{ VisioDocument: FIB(0) }, "no: a Visio drawing"],
  [{ Anything: FIB(0) }, "no: an OLE2 compound file of an unknown kind"],
];

Deno.test("ole2Format reads the kind of a compound file from its streams", () => {
  for (const [streams, expected] of OLE2_CASES) {
    const file = { bytes: sampleOle2(streams), filename: "a.doc", contentType: undefined };
    let found: string;
    try {
      found = ole2Format(file, "a.doc");
    } catch (error) {
      found = describe(error);
    }
    assertEquals(found, expected, Object.keys(streams).join());
  }
});

Deno.test("ole2Format rejects a compound file without a directory, and ends on cycles", () => {
  const bytes = sampleOle2({ WordDocument: FIB(0) });
  const detect = (bytes: Uint8Array<ArrayBuffer>) =>
    ole2Format({ bytes, filename: "a", contentType: undefined }, "a");
  assertThrows(() => detect(bytes.slice(0, 600)), ExtractionError, "its directory is truncated or damaged");
  // The directory's only sector follows itself, and an entry is its own sibling.
  const view = new DataView(bytes.buffer);
  view.setUint32(512 + 4, 1, true);
  view.setUint32(1024 + 128 + 72, 1, true);
  assertEquals(detect(bytes), "doc");
});

function describe(error: unknown): string {
  const { code, message } = error as ExtractionError;
  return code === "unsupported_type" ? `no: ${/looks like (.*?)\. Convert/.exec(message)?.[1]}` : code;
}

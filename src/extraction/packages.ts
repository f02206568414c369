import type { FormatId } from "../contract/rules/mod.ts";
import { PACKAGE_NAMES } from "./detect.ts";
import { extensionOf } from "./extension.ts";
import { damaged, encrypted, unsupported } from "./errors.ts";
import { listZip, unpack, type ZipEntry } from "./archive/zip_entries.ts";
import { MAX_PACKAGE_DESCRIPTION_BYTES } from "./limits.ts";
import { CompoundFile } from "./ole2.ts";
import type { SourceFile } from "./types.ts";

/** Formats by the content type of their main part (ECMA-376 part 1 §11.2, §12.2, §13.2), macros and templates too. */
const OOXML_MAIN_PARTS: readonly (readonly [FormatId | { readonly unsupported: string }, RegExp])[] = [
  ["docx", /(?:wordprocessingml|vnd\.ms-word)\.(?:document|template)[\w.]*\.main\+xml/i],
  ["xlsx", /(?:spreadsheetml|vnd\.ms-excel)\.(?:sheet|template|addin)[\w.]*\.main\+xml/i],
  [
    "pptx",
    /(?:presentationml|vnd\.ms-powerpoint)\.(?:presentation|slideshow|template|addin)[\w.]*\.main\+xml/i,
  ],
  [{ unsupported: "a Visio drawing" }, /vnd\.ms-visio\.\w+/],
  [{ unsupported: "an XPS document" }, /xps-fixeddocumentsequence\+xml|oxps/],
];

/** Formats by the `mimetype` entry of an OpenDocument file or its predecessor, OpenOffice.org 1. */
const ODF_MEDIA_TYPES: readonly (readonly [FormatId, RegExp])[] = [
  ["odt", /^application\/vnd\.(?:oasis\.opendocument\.text|sun\.xml\.writer)\b/],
  ["ods", /^application\/vnd\.(?:oasis\.opendocument\.spreadsheet|sun\.xml\.calc)\b/],
  ["odp", /^application\/vnd\.(?:oasis\.opendocument\.presentation|sun\.xml\.impress)\b/],
];

/** Algorithms of `META-INF/encryption.xml` that only obfuscate fonts (EPUB 3.3 §4.2.6.3.1.1). */
const FONT_OBFUSCATION = /^http:\/\/(?:www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/;

/** Kinds of ZIP packages that are not documents, or not supported, by the names of their entries. */
const OTHER_PACKAGES: readonly (readonly [string, RegExp])[] = [
  ["an Android app", /^(?:classes\.dex|resources\.arsc)$/],
  ["an iOS app", /^Payload\/[^/]+\.app\//],
  ["a Python package", /^[^/]+\.dist-info\/WHEEL$/],
  ["a NuGet package", /^[^/]+\.nuspec$/],
  ["a map (.kmz)", /^doc\.kml$/],
  ["a Java archive", /^META-INF\/MANIFEST\.MF$/],
];

/**
 * Detects the format of a ZIP file by the entries that describe a package; `archive` without any.
 *
 * @throws {ExtractionError} `encrypted`, `unsupported_type`, `damaged` or `too_large`.
 */
export async function zipFormat(file: SourceFile, name: string): Promise<FormatId> {
  const entries = await listZip(file.bytes, name);
  const names = new Set(entries.map((entry) => entry.name));
  const descriptions = await readDescriptions(file, entries, name);
  const format = ooxmlFormat(names, descriptions) ?? openFormat(names, descriptions);
  if (format === "encrypted") throw encrypted(name);
  if (typeof format === "string") return format;
  const extension = extensionOf(file.filename);
  const described = format?.unsupported ?? otherPackage(names, extension);
  if (described !== undefined) throw unsupported(name, described);
  const claimed = PACKAGE_NAMES.get(extension);
  if (claimed === undefined) return "archive";
  throw damaged(
    name,
    `its name says ${claimed}, but it is a ZIP archive without the parts of such a file. Upload the original file`,
  );
}

/** A format, the reason why a package has none, or `undefined` if it is of another kind. */
type PackageFormat = FormatId | "encrypted" | { readonly unsupported: string } | undefined;

/** Entries that describe a package, decoded. Larger ones are cut. */
async function readDescriptions(file: SourceFile, entries: readonly ZipEntry[], name: string) {
  const wanted = new Set([
    "[Content_Types].xml",
    "mimetype",
    "META-INF/manifest.xml",
    "META-INF/encryption.xml",
    "META-INF/container.xml",
  ]);
  const isSelected = (entry: ZipEntry) =>
    wanted.delete(entry.name) && entry.size <= MAX_PACKAGE_DESCRIPTION_BYTES;
  if (!entries.some((entry) => wanted.has(entry.name))) return () => "";
  const parts = await unpack(file.bytes, isSelected, name);
  return (part: string) => new TextDecoder(encodingOf(parts[part])).decode(parts[part]);
}

/** XML parts are in UTF-8 or UTF-16 (ECMA-376 part 2 §8.1.1). */
function encodingOf(part: Uint8Array | undefined): string {
  if (part?.[0] === 0xff && part[1] === 0xfe) return "utf-16le";
  return part?.[0] === 0xfe && part[1] === 0xff ? "utf-16be" : "utf-8";
}

function ooxmlFormat(names: ReadonlySet<string>, describe: (part: string) => string): PackageFormat {
  if (!names.has("[Content_Types].xml")) return undefined;
  // By its part: SheetJS declares the type in every workbook that it writes.
  if (names.has("xl/workbook.bin")) return { unsupported: "an Excel binary workbook (.xlsb)" };
  const types = describe("[Content_Types].xml");
  const found = OOXML_MAIN_PARTS.find(([, pattern]) => pattern.test(types));
  if (found) return found[0];
  if (names.has("word/document.xml")) return "docx";
  if (names.has("xl/workbook.xml")) return "xlsx";
  return names.has("ppt/presentation.xml") ? "pptx" : undefined;
}

/** Detects OpenDocument and EPUB, which share the `mimetype` entry and the folder `META-INF`. */
function openFormat(names: ReadonlySet<string>, describe: (part: string) => string): PackageFormat {
  const manifest = describe("META-INF/manifest.xml");
  // The entry for the package itself names the type where the file `mimetype` is missing.
  const packageType = /<manifest:file-entry\b(?=[^>]*\bmanifest:full-path\s*=\s*["']\/["'])[^>]*>/.exec(
    manifest,
  )?.[0];
  const mediaType = describe("mimetype").trim() ||
    (/\bmanifest:media-type\s*=\s*["']([^"']*)/.exec(packageType ?? "")?.[1] ?? "");
  if (/^application\/epub\+zip/i.test(mediaType) || /<rootfile\b/.test(describe("META-INF/container.xml"))) {
    const methods = describe("META-INF/encryption.xml").matchAll(
      /EncryptionMethod[^>]*?\bAlgorithm\s*=\s*["']([^"']*)/g,
    );
    return [...methods].every(([, algorithm]) => FONT_OBFUSCATION.test(algorithm!)) ? "epub" : "encrypted";
  }
  const isOdf = /^application\/vnd\.(?:oasis\.opendocument|sun\.xml)\./.test(mediaType);
  // Encrypted entries have encryption data in the manifest; the whole package can be one (ODF 1.3 part 2 §3.4).
  if ((isOdf || names.has("content.xml")) && /<manifest:encryption-data\b/.test(manifest)) return "encrypted";
  const found = ODF_MEDIA_TYPES.find(([, pattern]) => pattern.test(mediaType))?.[0];
  if (found) return found;
  return isOdf ? { unsupported: "an OpenDocument drawing, chart, formula or database" } : undefined;
}

/** Describes a package that is not supported, with its article: "a Java archive". */
function otherPackage(names: ReadonlySet<string>, extension: string): string | undefined {
  if (IWORK[extension] !== undefined) return IWORK[extension];
  if (names.has("Index.zip") || names.has("Index/Document.iwa") || names.has("index.apxl")) {
    return "a Pages, Numbers or Keynote document";
  }
  for (const [kind, pattern] of OTHER_PACKAGES) {
    for (const name of names) if (pattern.test(name)) return kind;
  }
  return undefined;
}

/** iWork applications by the extension of their documents. */
const IWORK: Readonly<Record<string, string>> = {
  pages: "a Pages document",
  numbers: "a Numbers spreadsheet",
  key: "a Keynote presentation",
};

/** Kinds of compound files by the name of a stream or storage in their root. */
const OLE2_STREAMS: readonly (readonly [FormatId | { readonly unsupported: string }, RegExp])[] = [
  ["doc", /^WordDocument$/],
  ["xls", /^(?:Workbook|Book|WORKBOOK|BOOK)$/],
  [{ unsupported: "a PowerPoint 97–2003 presentation (save it as .pptx)" }, /^PowerPoint Document$/],
  ["msg", /^__(?:substg1\.0_|properties_version1\.0|nameid_version1\.0)/],
  [{ unsupported: "a Visio drawing" }, /^VisioDocument$/],
  [{ unsupported: "a Publisher document" }, /^Quill$/],
  [{ unsupported: "a Works document" }, /^MatOST$/],
  [{ unsupported: "a WordPerfect document" }, /^PerfectOffice_/],
  [{ unsupported: "a Hancom document (.hwp)" }, /^(?:BodyText|HwpSummaryInformation)$/],
  // Names of database tables are packed into characters from U+3800 on.
  [{ unsupported: "a Windows installer" }, /^\u4840|^[\u3800-\u483f]{3}/],
];

/**
 * Detects the format of an OLE2 compound file by the streams in its root.
 *
 * @throws {ExtractionError} `encrypted`, `unsupported_type` or `damaged`.
 */
export function ole2Format(file: SourceFile, name: string): FormatId {
  const compound = new CompoundFile(file.bytes, name);
  const { names } = compound;
  if (isProtected(compound)) throw encrypted(name);
  for (const [format, pattern] of OLE2_STREAMS) {
    if (!names.some((stream) => pattern.test(stream))) continue;
    if (typeof format === "string") return format;
    throw unsupported(name, format.unsupported);
  }
  throw unsupported(name, "an OLE2 compound file of an unknown kind");
}

/** Whether a password or a right is needed to read an Office file. */
function isProtected(compound: CompoundFile): boolean {
  // Word, Excel and PowerPoint since 2007 ([MS-OFFCRYPTO] §2.3), and rights management (§2.2).
  if (compound.has("EncryptedPackage") || compound.has("\tDRMContent")) return true;
  // fEncrypted of the file information block ([MS-DOC] §2.5.2).
  const fib = compound.read("WordDocument", 12);
  if (fib?.length === 12 && (fib[11]! & 1) !== 0) return true;
  // Token of an encrypted file ([MS-PPT] §2.3.2).
  const user = compound.read("Current User", 16);
  if (user?.length === 16 && new DataView(user.buffer).getUint32(12, true) === 0xf3d1c4df) return true;
  return hasFilePass(compound.read("Workbook", 4096) ?? compound.read("Book", 4096));
}

/** Whether the records of a workbook start with BOF and a FILEPASS ([MS-XLS] §2.4.117), which is one of the first. */
function hasFilePass(workbook: Uint8Array | undefined): boolean {
  if (!workbook) return false;
  const view = new DataView(workbook.buffer, workbook.byteOffset, workbook.byteLength);
  for (let at = 0; at + 4 <= workbook.length; at += 4 + view.getUint16(at + 2, true)) {
    const type = view.getUint16(at, true);
    if (type === 0x2f) return true;
    // BoundSheet8: the names of the sheets follow FILEPASS.
    if (type === 0x85) return false;
  }
  return false;
}

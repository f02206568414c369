// Decodes XML entities; already a dependency of the HTML parser.
import { decodeXML } from "entities/decode";
import { damaged, noText, tooLarge } from "../errors.ts";
import { htmlToMarkdown } from "../html/to_markdown.ts";
import { parseHtml } from "../html/tree.ts";
import { MAX_XML_BYTES } from "../limits.ts";
import { checkLength, normalizeText } from "../normalize.ts";
import { cleanTitle, firstHeading } from "../title.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import { checkUnpackedSize, listZip, unpack, type ZipEntry } from "./zip.ts";

/** The API of `mammoth` that is used here; the package has types only for its Node build. */
interface Mammoth {
  convertToHtml(
    input: { arrayBuffer: ArrayBuffer },
    options: { styleMap: string[]; includeEmbeddedStyleMap: boolean; convertImage: unknown },
  ): Promise<{ value: string }>;
  images: { imgElement(convert: () => Promise<{ src: string }>): unknown };
}

/** Converts a Word document to Markdown with headings, lists and tables. Leaves out comments and pictures. */
export async function extractDocx(file: SourceFile, { name }: ExtractionContext): Promise<ExtractedText> {
  const entries = await listZip(file.bytes, name);
  checkUnpackedSize(entries, name);
  const xmlBytes = entries.filter(isTextPart).reduce((sum, entry) => sum + entry.size, 0);
  if (xmlBytes > MAX_XML_BYTES) {
    throw tooLarge(name, `it holds more than ${MAX_XML_BYTES / 2 ** 20} MiB of text and markup`);
  }
  const parts = await unpack(file.bytes, isTextPart, name);
  let text: string;
  try {
    text = normalizeText(htmlToMarkdown(parseHtml(await toHtml(parts)).body));
  } catch (error) {
    throw damaged(
      name,
      "it is not a valid Word document. Open it in Word, save it again and upload that",
      error,
    );
  }
  checkLength(text.length, name);
  if (text.trim() === "") {
    throw noText(
      name,
      "it holds only pictures, or nothing at all",
      "run OCR on the pictures and upload the result",
    );
  }
  const metadata = readProperties(parts["docProps/core.xml"]);
  return {
    docType: "docx",
    title: cleanTitle(metadata?.["title"]) ?? firstHeading(text),
    text,
    markup: "markdown",
    pageStarts: undefined,
    metadata,
    tags: [],
  };
}

/**
 * Whether a part of the package contributes to the text. Pictures, fonts and embedded files are not unpacked.
 */
function isTextPart({ name }: ZipEntry): boolean {
  return /\.(?:xml|rels)$/i.test(name) && !/^(?:word\/(?:theme|glossary|embeddings)|customXml)\//.test(name);
}

async function toHtml(parts: Record<string, Uint8Array<ArrayBuffer>>): Promise<string> {
  const { zipSync } = await import("fflate");
  // The browser build: the Node build needs access to the file system and environment variables.
  const { default: mammoth } = await import("mammoth/mammoth.browser.min.js") as unknown as {
    default: Mammoth;
  };
  const { value } = await mammoth.convertToHtml({
    arrayBuffer: zipSync(parts, { level: 0 }).buffer as ArrayBuffer,
  }, {
    styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
    // An embedded style map is untrusted input.
    includeEmbeddedStyleMap: false,
    convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })),
  });
  return value;
}

/** Metadata keys, with the elements of `docProps/core.xml`. */
const PROPERTIES: Readonly<Record<string, string>> = {
  title: "dc:title",
  author: "dc:creator",
  subject: "dc:subject",
  keywords: "cp:keywords",
  created: "dcterms:created",
  modified: "dcterms:modified",
};

/** Reads the core properties (ECMA-376 part 2 §11). Each value is cut to the length of a title. */
function readProperties(part: Uint8Array | undefined): Record<string, string> | undefined {
  const xml = new TextDecoder().decode(part?.subarray(0, 65_536));
  const found: Record<string, string> = {};
  for (const [key, element] of Object.entries(PROPERTIES)) {
    const value = new RegExp(`<${element}(?:\\s[^>]{0,200})?>([^<]{1,2000})</${element}>`).exec(xml)?.[1];
    const clean = value === undefined ? undefined : cleanTitle(decodeXML(value));
    if (clean !== undefined) found[key] = clean;
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

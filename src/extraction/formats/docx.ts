import { cleanTitle, firstHeading } from "../document_title.ts";
import { damaged, noText, tooLarge } from "../failures.ts";
import { htmlToMarkdown } from "../html_to_markdown.ts";
import { parseHtml } from "../html_tree.ts";
import { MAX_XML_BYTES } from "../limits.ts";
import { checkLength, normalizeText } from "../normalize.ts";
import type { ExtractedText, SourceFile } from "../types.ts";
import { checkUnpackedSize, unpack, type ZipEntry } from "../zip.ts";

/** What is used of `mammoth`, whose types are those of its build for Node. */
interface Mammoth {
  convertToHtml(
    input: { arrayBuffer: ArrayBuffer },
    options: { styleMap: string[]; includeEmbeddedStyleMap: boolean; convertImage: unknown },
  ): Promise<{ value: string }>;
  images: { imgElement(convert: () => Promise<{ src: string }>): unknown };
}

/** A Word document as Markdown, with its headings, lists and tables. Comments and pictures are left out. */
export async function extractDocx(
  file: SourceFile,
  name: string,
  entries: readonly ZipEntry[],
): Promise<ExtractedText> {
  checkUnpackedSize(entries, name);
  const xml = entries.filter(isText);
  if (xml.reduce((sum, entry) => sum + entry.size, 0) > MAX_XML_BYTES) {
    throw tooLarge(name, `it holds more than ${MAX_XML_BYTES / 2 ** 20} MiB of text and markup`);
  }
  const parts = await unpack(file.bytes, isText, name);
  let text: string;
  try {
    text = normalizeText(await htmlToMarkdown((await parseHtml(await toHtml(parts))).body));
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
      "it holds pictures, or nothing at all",
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

/** Parts that the text is made of; pictures, fonts and embedded files are not even unpacked. */
function isText({ name }: ZipEntry): boolean {
  return /\.(?:xml|rels)$/i.test(name) && !/^(?:word\/(?:theme|glossary|embeddings)|customXml)\//.test(name);
}

async function toHtml(parts: Record<string, Uint8Array<ArrayBuffer>>): Promise<string> {
  const { zipSync } = await import("fflate");
  // The build for browsers: the one for Node wants the file system and environment variables.
  const { default: mammoth } = await import("mammoth/mammoth.browser.min.js") as unknown as {
    default: Mammoth;
  };
  const { value } = await mammoth.convertToHtml({
    arrayBuffer: zipSync(parts, { level: 0 }).buffer as ArrayBuffer,
  }, {
    styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
    // A style map inside the file would be a stranger's.
    includeEmbeddedStyleMap: false,
    convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })),
  });
  return value;
}

const PROPERTIES: Readonly<Record<string, string>> = {
  title: "dc:title",
  author: "dc:creator",
  subject: "dc:subject",
  keywords: "cp:keywords",
  created: "dcterms:created",
  modified: "dcterms:modified",
};

/** The document's own properties (ECMA-376 part 2, 11), as short texts. */
function readProperties(part: Uint8Array | undefined): Record<string, string> | undefined {
  const xml = new TextDecoder().decode(part?.subarray(0, 65_536));
  const found: Record<string, string> = {};
  for (const [key, element] of Object.entries(PROPERTIES)) {
    const value = new RegExp(`<${element}(?:\\s[^>]{0,200})?>([^<]{1,2000})</${element}>`).exec(xml)?.[1];
    const clean = value === undefined ? undefined : cleanTitle(decodeEntities(value));
    if (clean !== undefined) found[key] = clean;
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

function decodeEntities(text: string): string {
  const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos));/gi,
    (all, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : hex ? parseInt(hex, 16) : -1;
      if (code > 0x10ffff) return all;
      return code >= 0 ? String.fromCodePoint(code) : named[name.toLowerCase()] ?? all;
    },
  );
}

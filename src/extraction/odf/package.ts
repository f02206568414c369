import { damaged } from "../errors.ts";
import { listZip, type ZipEntry } from "../archive/zip_entries.ts";
import { definedFields, isoDate } from "../properties.ts";
import { cleanTitle } from "../title.ts";
import type { SourceFile } from "../types.ts";
import type { XmlElement } from "../xml/element.ts";
import { readXml, type XmlOptions } from "../xml/read_xml.ts";
import { unpackText } from "../xml/unpack_text.ts";

/** The XML parts of an OpenDocument package (ODF 1.3 part 2). */
export class OdfPackage {
  readonly #parts: Record<string, Uint8Array<ArrayBuffer>>;
  readonly #readOnce = new Set<string>();

  private constructor(parts: Record<string, Uint8Array<ArrayBuffer>>) {
    this.#parts = parts;
  }

  /**
   * Unpacks the parts of a package that have text.
   *
   * @param options.isStreamed Whether the caller reads a part itself, without its tree.
   * @throws {ExtractionError} `damaged` or `too_large`.
   */
  static async open(
    file: SourceFile,
    name: string,
    { isStreamed = () => false }: { readonly isStreamed?: (path: string) => boolean } = {},
  ): Promise<OdfPackage> {
    const entries = await listZip(file.bytes, name);
    const isSelected = (entry: ZipEntry) => isTextPart(entry) && !isStreamed(entry.name);
    const parts = await unpackText(file, entries, { name, isSelected });
    if (!entries.some((entry) => entry.name === "content.xml")) {
      throw damaged(name, "its content is missing. Open it in LibreOffice, save it again and upload that");
    }
    return new OdfPackage(parts);
  }

  /** Reads a part. @throws {XmlError} */
  read(path: string, options: Omit<XmlOptions, "prefixOf"> = {}): XmlElement | undefined {
    if (!Object.hasOwn(this.#parts, path)) return undefined;
    return readXml(this.#parts[path]!, { ...options, prefixOf: odfPrefix });
  }

  /** Reads a part that is not essential: `undefined` if it is missing or damaged. */
  tryRead(path: string): XmlElement | undefined {
    try {
      return this.read(path);
    } catch {
      return undefined;
    }
  }

  /** Like {@linkcode tryRead}, but only the first time: parts that are referred to many times are read once. */
  readOnce(path: string): XmlElement | undefined {
    if (this.#readOnce.has(path)) return undefined;
    this.#readOnce.add(path);
    return this.tryRead(path);
  }

  /** Reads the properties of the document (ODF 1.3 part 3 §4.3). */
  readMetadata(): Record<string, string> {
    const meta = this.tryRead("meta.xml")?.child("office:meta");
    const text = (...names: string[]) =>
      names.map((name) => cleanTitle(meta?.child(name)?.text)).find((value) => value !== undefined);
    const keywords = meta?.descendants("meta:keyword").map((keyword) => keyword.text.trim()).join(", ");
    return definedFields({
      title: text("dc:title"),
      author: text("meta:initial-creator", "dc:creator"),
      subject: text("dc:subject"),
      keywords: cleanTitle(keywords),
      language: text("dc:language"),
      created: isoDate(text("meta:creation-date")),
      modified: isoDate(text("dc:date")),
      generator: text("meta:generator"),
    });
  }
}

/** The content, styles and properties, and the content of embedded formulas and charts. */
function isTextPart({ name }: ZipEntry): boolean {
  return /^(?:(?:\.\/)?Object[^/]*\/)?content\.xml$|^(?:styles|meta)\.xml$/.test(name);
}

/**
 * Returns the prefix of a namespace of OpenDocument, of its predecessor (`http://openoffice.org/2000/text`), and of the
 * vocabularies in it.
 */
export function odfPrefix(namespace: string): string | undefined {
  const own =
    /^(?:urn:oasis:names:tc:opendocument:xmlns:([a-z-]+):[\d.]+|http:\/\/openoffice\.org\/2000\/([a-z]+))$/
      .exec(
        namespace,
      );
  const name = own?.[1] ?? own?.[2];
  if (name !== undefined) return name === "drawing" ? "draw" : name.replace(/-compatible$/, "");
  switch (namespace) {
    case "http://purl.org/dc/elements/1.1/":
      return "dc";
    case "http://www.w3.org/1999/xlink":
      return "xlink";
    case "http://www.w3.org/1998/Math/MathML":
      return "math";
    default:
      return undefined;
  }
}

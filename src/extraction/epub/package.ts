import { damaged } from "../errors.ts";
import { resolveMemberPath } from "../archive/member_path.ts";
import { listZip, type ZipEntry } from "../archive/zip_entries.ts";
import type { SourceFile } from "../types.ts";
import type { XmlElement } from "../xml/element.ts";
import { readXml } from "../xml/read_xml.ts";
import { unpackText } from "../xml/unpack_text.ts";

/** Prefixes of the namespaces of an e-book, old and new. */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ["http://www.idpf.org/2007/opf", "opf"],
  ["http://openebook.org/namespaces/oeb-package/1.0/", "opf"],
  ["urn:oasis:names:tc:opendocument:xmlns:container", "ocf"],
  ["http://purl.org/dc/elements/1.1/", "dc"],
  ["http://purl.org/dc/elements/1.0/", "dc"],
  ["http://www.daisy.org/z3986/2005/ncx/", "ncx"],
  ["http://www.w3.org/1999/xhtml", "html"],
  ["http://www.idpf.org/2007/ops", "epub"],
]);

/** A file that the package document lists. */
export interface ManifestItem {
  /** Path in the archive. */
  readonly path: string;
  readonly mediaType: string;
  readonly properties: readonly string[];
}

/** The text files of an e-book and its package document (EPUB 3.3 §5). */
export class EpubPackage {
  readonly #parts: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** The package document. */
  readonly document: XmlElement;
  /** Its files by id. */
  readonly manifest: ReadonlyMap<string, ManifestItem>;

  private constructor(
    parts: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
    path: string,
    document: XmlElement,
  ) {
    this.#parts = parts;
    this.document = document;
    this.manifest = readManifest(document, path);
  }

  /**
   * Unpacks the text files of an e-book, and reads its package document.
   *
   * @throws {ExtractionError} `damaged` or `too_large`.
   */
  static async open(file: SourceFile, name: string): Promise<EpubPackage> {
    const entries = await listZip(file.bytes, name);
    const unpacked = await unpackText(file, entries, { name, isSelected: isTextFile });
    const parts = new Map(Object.entries(unpacked).map(([path, part]) => [path.toLowerCase(), part]));
    try {
      const container = parts.get("meta-inf/container.xml");
      const rootfile = container &&
        read(container).descendants("ocf:rootfile", "rootfile")[0]?.get("full-path");
      const path = rootfile ?? entries.find((entry) => entry.name.endsWith(".opf"))?.name ?? "";
      return new EpubPackage(parts, path, read(parts.get(path.toLowerCase()) ?? new Uint8Array()));
    } catch (cause) {
      throw damaged(name, "its package document is missing or damaged. Upload the original e-book", cause);
    }
  }

  /** Returns the bytes of a file. */
  get(path: string): Uint8Array<ArrayBuffer> | undefined {
    return this.#parts.get(path.toLowerCase());
  }

  /** Reads a file that is not essential: `undefined` if it is missing or damaged. */
  tryRead(path: string | undefined): XmlElement | undefined {
    const part = path === undefined ? undefined : this.get(path);
    try {
      return part && read(part);
    } catch {
      return undefined;
    }
  }

  /** The files of the book in reading order. */
  get spine(): ManifestItem[] {
    const references = this.document.child("opf:spine")?.elements ?? [];
    const items = references.map((reference) => this.manifest.get(reference.get("idref") ?? ""));
    // A book that lists a chapter many times would be read as often.
    const known = items.filter((item) => item !== undefined);
    return [...new Map(known.map((item) => [item.path, item])).values()];
  }
}

/** Resolves a reference against the path of the file that has it; the fragment is dropped. */
export function resolveReference(path: string, reference: string): string {
  let target = reference.replace(/[#?].*$/s, "");
  try {
    target = decodeURIComponent(target);
  } catch {
    // A percent sign that encodes nothing.
  }
  const folder = target.startsWith("/") ? "" : path.slice(0, path.lastIndexOf("/") + 1);
  return resolveMemberPath(folder, target);
}

function readManifest(document: XmlElement, path: string): Map<string, ManifestItem> {
  const items = new Map<string, ManifestItem>();
  for (const item of document.child("opf:manifest")?.elements ?? []) {
    const id = item.get("id");
    const href = item.get("href");
    if (id === undefined || href === undefined) continue;
    items.set(id, {
      path: resolveReference(path, href),
      mediaType: item.get("media-type") ?? "",
      properties: (item.get("properties") ?? "").split(/\s+/),
    });
  }
  return items;
}

function isTextFile({ name }: ZipEntry): boolean {
  return /\.(?:x?html?|xml|opf|ncx)$/i.test(name);
}

function read(part: Uint8Array): XmlElement {
  return readXml(part, { prefixOf: (namespace) => PREFIXES.get(namespace) });
}

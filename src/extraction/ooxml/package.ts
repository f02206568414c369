import { damaged } from "../errors.ts";
import { resolveMemberPath } from "../archive/member_path.ts";
import { listZip, type ZipEntry } from "../archive/zip_entries.ts";
import type { SourceFile } from "../types.ts";
import type { XmlElement } from "../xml/element.ts";
import { readXml, type XmlOptions } from "../xml/read_xml.ts";
import { unpackText } from "../xml/unpack_text.ts";
import { ooxmlPrefix } from "./namespaces.ts";

/** A relationship of a part. */
export interface Relationship {
  /** Last segment of its type: `styles`, `footnotes`, `chart`. */
  readonly type: string;
  /** Path of the target part; an address if it is external. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** The XML parts of an Office Open XML package (ECMA-376 part 2). */
export class OoxmlPackage {
  readonly #parts: Record<string, Uint8Array<ArrayBuffer>>;
  readonly #readOnce = new Set<string>();
  readonly #relationships = new Map<string, ReadonlyMap<string, Relationship>>();

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
  ): Promise<OoxmlPackage> {
    const entries = await listZip(file.bytes, name);
    const isSelected = (entry: ZipEntry) => isTextPart(entry) && !isStreamed(normalize(entry.name));
    const parts = await unpackText(file, entries, { name, isSelected });
    return new OoxmlPackage(
      Object.fromEntries(Object.entries(parts).map(([path, part]) => [normalize(path), part])),
    );
  }

  /** Whether the package has a part. */
  has(path: string): boolean {
    return Object.hasOwn(this.#parts, path);
  }

  /**
   * Path of the part that the package is about, by its relationships.
   *
   * @throws {ExtractionError} `damaged` if there is none.
   */
  mainPart(name: string, usual: string): string {
    for (const { type, target } of this.relationships("").values()) {
      if (type === "officeDocument" && this.has(target)) return target;
    }
    if (this.has(usual)) return usual;
    throw damaged(name, "its main part is missing. Open it in its program, save it again and upload that");
  }

  /** Reads a part, if the package has it. @throws {XmlError} */
  read(path: string | undefined, options: Omit<XmlOptions, "prefixOf"> = {}): XmlElement | undefined {
    if (path === undefined || !this.has(path)) return undefined;
    return readXml(this.#parts[path]!, { ...options, prefixOf: ooxmlPrefix });
  }

  /** Reads a part that is not essential: `undefined` if it is missing or damaged. */
  tryRead(path: string | undefined): XmlElement | undefined {
    try {
      return this.read(path);
    } catch {
      return undefined;
    }
  }

  /** Like {@linkcode tryRead}, but only the first time: parts that are referred to many times are read once. */
  readOnce(path: string | undefined): XmlElement | undefined {
    if (path === undefined || this.#readOnce.has(path)) return undefined;
    this.#readOnce.add(path);
    return this.tryRead(path);
  }

  /** Relationships of a part by id; of the package itself for an empty path. */
  relationships(path: string): ReadonlyMap<string, Relationship> {
    let found = this.#relationships.get(path);
    if (!found) {
      found = this.#readRelationships(path);
      this.#relationships.set(path, found);
    }
    return found;
  }

  /** Returns the target of the first relationship of a type. */
  related(path: string, type: string): string | undefined {
    for (const relationship of this.relationships(path).values()) {
      if (relationship.type === type) return relationship.target;
    }
    return undefined;
  }

  #readRelationships(path: string): Map<string, Relationship> {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const root = this.tryRead(`${folder}_rels/${path.slice(folder.length)}.rels`);
    const relationships = new Map<string, Relationship>();
    for (const element of root?.elements ?? []) {
      const id = element.get("Id");
      const target = element.get("Target");
      if (id === undefined || target === undefined) continue;
      const isExternal = element.get("TargetMode") === "External";
      relationships.set(id, {
        type: (element.get("Type") ?? "").split("/").at(-1)!,
        target: isExternal ? target : resolvePath(folder, target),
        isExternal,
      });
    }
    return relationships;
  }
}

/** Whether a part contributes to the text. Pictures, fonts and embedded files are not unpacked. */
function isTextPart({ name }: ZipEntry): boolean {
  return /\.(?:xml|rels)$/i.test(name) &&
    !/(?:^|[\\/])(?:theme|glossary|embeddings|customXml)[\\/]/i.test(name);
}

/** Some writers separate the folders of a path by backslashes. */
function normalize(path: string): string {
  return path.replaceAll("\\", "/").replace(/^\//, "");
}

/** Resolves the target of a relationship against the folder of its part. */
function resolvePath(folder: string, target: string): string {
  const path = normalize(target);
  return /^[\\/]/.test(target) ? path : resolveMemberPath(folder, path);
}

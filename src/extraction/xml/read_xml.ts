import { Parser } from "htmlparser2";
import { damaged, type ExtractionError, tooLarge } from "../errors.ts";
import { MAX_XML_DEPTH } from "../limits.ts";
import { XmlElement } from "./element.ts";
import { xmlEncoding } from "./encoding.ts";

/** Number of bytes that are decoded at a time: the text of a large part never exists as a whole. */
const SLICE_BYTES = 65_536;

/** Options of {@linkcode readXml}. */
export interface XmlOptions {
  /** Returns the prefix for a namespace; `undefined` keeps the prefix of the file. */
  readonly prefixOf: (namespace: string) => string | undefined;
  /**
   * Names of elements that are passed to `onBlock` when they end, and then dropped, so that the tree of a large part
   * never exists as a whole. Blocks inside of blocks are part of their tree.
   */
  readonly blocks?: ReadonlySet<string>;
  /** Receives each block with the names of the elements around it, from the root. */
  readonly onBlock?: (block: XmlElement, ancestors: readonly XmlElement[]) => void;
}

/** XML that is truncated, nested too deeply or has no root element. */
export class XmlError extends Error {
  /** Always `XmlError`. */
  override name = "XmlError";
}

/** Elements that are nested too deeply. */
class XmlDepthError extends XmlError {}

/**
 * Returns the error for a package whose XML cannot be read.
 *
 * @param problem Completes "Cannot read NAME: " unless its elements are nested too deeply.
 */
export function unreadableXml(name: string, problem: string, cause: unknown): ExtractionError {
  return cause instanceof XmlDepthError ? tooDeep(name) : damaged(name, problem, cause);
}

/** Returns the error for XML with elements that are nested too deeply. */
export function tooDeep(name: string): ExtractionError {
  return tooLarge(name, `its XML has elements nested over ${MAX_XML_DEPTH} deep`);
}

/**
 * Reads the XML of a known vocabulary into a tree. Names have the prefixes of `prefixOf`, whatever the file uses. Entities other than the five of XML, and document type definitions, are not expanded; nothing
 * is loaded.
 *
 * @param source Bytes in UTF-8, UTF-16 with a byte order mark, or in the encoding that they declare.
 * @returns The root, without its blocks.
 * @throws {XmlError}
 */
export function readXml(source: Uint8Array, options: XmlOptions): XmlElement {
  const builder = new TreeBuilder(options);
  const parser = new Parser(builder, { xmlMode: true });
  const decoder = new TextDecoder(xmlEncoding(source));
  for (let at = 0; at < source.length; at += SLICE_BYTES) {
    parser.write(decoder.decode(source.subarray(at, at + SLICE_BYTES), { stream: true }));
  }
  parser.end(decoder.decode());
  return builder.finish();
}

/** Prefixes of the current scope: those of the file with those of the reader. */
type Scope = ReadonlyMap<string, string>;

/** Receives the events of the parser. */
class TreeBuilder {
  readonly #options: XmlOptions;
  readonly #open: XmlElement[] = [];
  readonly #scopes: Scope[] = [];
  #root: XmlElement | undefined;
  #blockDepth = 0;
  #isComplete = false;

  constructor(options: XmlOptions) {
    this.#options = options;
  }

  /** @throws {XmlError} If the root has no end. */
  finish(): XmlElement {
    if (!this.#root || !this.#isComplete) throw new XmlError("the root element must have an end");
    return this.#root;
  }

  onopentag(rawName: string, rawAttributes: Record<string, string>): void {
    if (this.#open.length >= MAX_XML_DEPTH) {
      throw new XmlDepthError(`elements must be nested at most ${MAX_XML_DEPTH} deep`);
    }
    const scope = this.#scopeOf(rawAttributes);
    const attributes: Record<string, string> = {};
    for (const name of Object.keys(rawAttributes)) {
      attributes[rename(name, scope, false)] = rawAttributes[name]!;
    }
    const element = new XmlElement(rename(rawName, scope, true), attributes);
    this.#scopes.push(scope);
    this.#root ??= element;
    if (this.#blockDepth > 0) this.#blockDepth++;
    else if (this.#options.blocks?.has(element.name)) this.#blockDepth = 1;
    if (this.#blockDepth !== 1) this.#open.at(-1)?.children.push(element);
    this.#open.push(element);
  }

  onclosetag(_name: string, isImplied: boolean): void {
    const element = this.#open.pop();
    this.#scopes.pop();
    if (this.#open.length === 0) this.#isComplete ||= element === this.#root && !isImplied;
    if (this.#blockDepth === 0 || --this.#blockDepth > 0) return;
    this.#options.onBlock?.(element!, this.#open);
  }

  ontext(text: string): void {
    this.#open.at(-1)?.addText(text);
  }

  #scopeOf(attributes: Record<string, string>): Scope {
    const outer = this.#scopes.at(-1) ?? EMPTY_SCOPE;
    let scope: Map<string, string> | undefined;
    for (const name of Object.keys(attributes)) {
      if (name !== "xmlns" && !name.startsWith("xmlns:")) continue;
      const prefix = name.slice("xmlns:".length);
      const canonical = this.#options.prefixOf(attributes[name]!) ?? prefix;
      if (outer.get(prefix) !== canonical) (scope ??= new Map(outer)).set(prefix, canonical);
    }
    return scope ?? outer;
  }
}

const EMPTY_SCOPE: Scope = new Map();

/** Replaces the prefix of a name. Attributes without a prefix are in no namespace. */
function rename(name: string, scope: Scope, isElement: boolean): string {
  const colon = name.indexOf(":");
  if (colon < 0 && !isElement) return name;
  const prefix = name.slice(0, Math.max(colon, 0));
  const canonical = scope.get(prefix) ?? prefix;
  const local = name.slice(colon + 1);
  return canonical === "" ? local : `${canonical}:${local}`;
}

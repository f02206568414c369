import { Parser } from "htmlparser2";
import { localName } from "./element.ts";
import { xmlEncoding } from "./encoding.ts";
import { XmlError } from "./read_xml.ts";

/** Number of bytes that are decoded at a time. */
const SLICE_BYTES = 65_536;

/** Receives the elements of an XML file. Names have no prefix. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close(name: string): void;
}

/**
 * Reads XML without building a tree, for parts with millions of elements.
 *
 * @param source Bytes of the part, in slices; the first one has its XML declaration.
 * @throws {XmlError} If the root element has no end.
 */
export function scanXml(source: Iterable<Uint8Array>, handler: XmlHandler): void {
  let depth = 0;
  let isComplete = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      depth++;
      handler.open(localName(name), attributes);
    },
    ontext(text) {
      handler.text?.(text);
    },
    onclosetag(name, isImplied) {
      if (--depth === 0) isComplete ||= !isImplied;
      handler.close(localName(name));
    },
  }, { xmlMode: true });
  let decoder: TextDecoder | undefined;
  for (const bytes of source) {
    decoder ??= new TextDecoder(xmlEncoding(bytes));
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      parser.write(decoder.decode(bytes.subarray(at, at + SLICE_BYTES), { stream: true }));
    }
  }
  parser.end(decoder?.decode());
  if (!isComplete) throw new XmlError("the root element must have an end");
}

import { sampleOle2 } from "./sample_ole2.ts";

/** A Word 97 document of {@linkcode sampleDoc}. */
export interface SampleDoc {
  /** Text of the body; each paragraph ends with `\r`, a cell with `\x07`. */
  readonly body: string;
  /** Text of the footnotes; each ends with `\r`. Their references are the characters `\x02` of the body. */
  readonly footnotes?: readonly string[];
  /** Modifications of properties by index of the paragraph, as bytes after the style. */
  readonly paragraphs?: Readonly<
    Record<number, { readonly style?: number; readonly modifications?: readonly number[] }>
  >;
}

const TEXT_START = 1024;

/** Returns a Word 97 document in UTF-16. Style 1 is "heading 1". */
export function sampleDoc({ body, footnotes = [], paragraphs = {} }: SampleDoc): Uint8Array<ArrayBuffer> {
  const text = body + footnotes.join("");
  const pageAt = Math.ceil((TEXT_START + 2 * text.length) / 512);
  const stream = new Uint8Array((pageAt + 1) * 512);
  const view = new DataView(stream.buffer);
  const table: number[] = [];
  const words = (...values: number[]) =>
    values.flatMap((value) => [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff));
  const addStructure = (index: number, bytes: number[]) => {
    view.setUint32(0x9a + 8 * index, table.length, true);
    view.setUint32(0x9e + 8 * index, bytes.length, true);
    table.push(...bytes);
  };
  view.setUint16(0, 0xa5ec, true);
  view.setUint16(2, 0xc1, true);
  view.setUint16(10, 0x0200, true);
  view.setInt32(0x4c, body.length, true);
  view.setInt32(0x50, text.length - body.length, true);
  Array.from(text).forEach((char, i) => view.setUint16(TEXT_START + 2 * i, char.charCodeAt(0), true));

  addStructure(33, [2, ...words(16, 0, text.length), 0, 0, ...words(TEXT_START), 0, 0]);
  // Styles 0 (normal) and 1 (heading 1): identifier and base of each.
  addStructure(1, [4, 0, 2, 0, 4, 0, 4, 0, 0, 0, 0xf1, 0xff, 4, 0, 1, 0, 0xf1, 0xff]);
  const positionsOf = (chars: string) =>
    Array.from(text).flatMap((char, at) => chars.includes(char) ? [at] : []);
  const references = positionsOf("\x02").filter((at) => at < body.length);
  addStructure(2, [...words(...references, body.length), ...references.flatMap(() => [1, 0])]);
  const ends = footnotes.reduce((at, note) => [...at, at.at(-1)! + note.length], [0]);
  addStructure(3, words(...ends, ends.at(-1)! + 1));

  // One page of paragraphs: positions, an offset for each, and their properties from the end of the page.
  const marks = positionsOf("\r\x07").map((at) => at + 1);
  const page = pageAt * 512;
  [0, ...marks].forEach((end, i) => view.setUint32(page + 4 * i, TEXT_START + 2 * end, true));
  let at = 510;
  marks.forEach((_, i) => {
    const { style = 0, modifications = [] } = paragraphs[i] ?? {};
    const length = 2 + modifications.length + (modifications.length % 2 === 0 ? 1 : 0);
    at = (at - length - 1) & ~1;
    stream.set([(length + 1) / 2, style, 0, ...modifications], page + at);
    stream[page + 4 * (marks.length + 1) + 13 * i] = at / 2;
  });
  stream[page + 511] = marks.length;
  addStructure(13, words(TEXT_START, TEXT_START + 2 * text.length, pageAt));
  return sampleOle2({ WordDocument: stream, "1Table": Uint8Array.from(table) });
}

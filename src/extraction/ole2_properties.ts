import { decodeCodePage } from "./encoding/office_code_pages.ts";
import type { CompoundFile } from "./ole2.ts";
import { isoTime } from "./properties.ts";
import { cleanTitle } from "./title.ts";

/** Properties of the set `SummaryInformation` ([MS-OLEPS] §2.25.1) by their identifier. */
const TEXTS: readonly (readonly [key: string, id: number])[] = [
  ["title", 2],
  ["subject", 3],
  ["author", 4],
  ["keywords", 5],
  ["generator", 18],
];
const DATES: readonly (readonly [key: string, id: number])[] = [["created", 12], ["modified", 13]];
/** Types of values ([MS-OLEPS] §2.15). */
const ANSI = 0x1e;
const WIDE = 0x1f;
const FILETIME = 0x40;
/** Maximum number of bytes of a text. */
const MAX_TEXT_BYTES = 4_000;
/** Milliseconds from 1601, where FILETIME starts, to 1970. */
const EPOCH_MS = 11_644_473_600_000;

/** Reads the properties of an Office file before 2007: metadata with dates as ISO 8601. */
export function readSummary(file: CompoundFile): Record<string, string> {
  const bytes = file.read("\x05SummaryInformation") ?? new Uint8Array();
  const found: Record<string, string> = {};
  try {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const offsets = readOffsets(view);
    const codePage = offsets.has(1) ? view.getUint16(offsets.get(1)! + 4, true) : 1252;
    for (const [key, id] of TEXTS) {
      const text = cleanTitle(readText(view, offsets.get(id), codePage));
      if (text !== undefined) found[key] = text;
    }
    for (const [key, id] of DATES) {
      const date = readDate(view, offsets.get(id));
      if (date !== undefined) found[key] = date;
    }
  } catch {
    // A damaged property set: the text of the document matters more.
  }
  return found;
}

/** Returns the offsets of the properties of the first set by identifier. */
function readOffsets(view: DataView): Map<number, number> {
  const offsets = new Map<number, number>();
  if (view.byteLength < 48) return offsets;
  const start = view.getUint32(44, true);
  const count = Math.min(view.getUint32(start + 4, true), 100);
  for (let i = 0; i < count; i++) {
    const at = start + 8 + 8 * i;
    offsets.set(view.getUint32(at, true), start + view.getUint32(at + 4, true));
  }
  return offsets;
}

function readText(view: DataView, at: number | undefined, codePage: number): string | undefined {
  if (at === undefined) return undefined;
  const type = view.getUint32(at, true);
  if (type !== ANSI && type !== WIDE) return undefined;
  const length = Math.min(view.getUint32(at + 4, true) * (type === WIDE ? 2 : 1), MAX_TEXT_BYTES);
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at + 8).subarray(0, length);
  const isWide = type === WIDE || codePage === 1200;
  const text = isWide ? new TextDecoder("utf-16le").decode(bytes) : decodeCodePage(bytes, codePage);
  return text.split("\0", 1)[0];
}

function readDate(view: DataView, at: number | undefined): string | undefined {
  if (at === undefined || view.getUint32(at, true) !== FILETIME) return undefined;
  return isoTime(new Date(Number(view.getBigUint64(at + 4, true) / 10_000n) - EPOCH_MS));
}

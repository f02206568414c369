import type { PageFile } from "./page_file.ts";

/** A value of a row. */
export type Value = string | number | bigint | Uint8Array | null;

/** A row of an unknown table. */
export interface CarvedRow {
  readonly id: number;
  /** Null in the place of the id. */
  readonly values: readonly Value[];
}

/** Type of a page with rows of a table. */
const TABLE_LEAF = 0x0d;

/** Maximum size of a row in bytes: more is damage. */
const MAX_ROW_BYTES = 256 * 2 ** 20;

/**
 * Yields the rows of all tables that intact pages hold, without the trees that lead to them. Deleted rows are
 * not among them, since the store overwrites them (`secure_delete`).
 */
export function* carveRows(file: PageFile): Generator<CarvedRow> {
  for (let number = 1; number <= file.count; number++) {
    const page = file.page(number);
    const header = number === 1 ? 100 : 0;
    if (page.getUint8(header) !== TABLE_LEAF) continue;
    const cells = page.getUint16(header + 3);
    for (let cell = 0; cell < cells && header + 8 + 2 * cell + 2 <= file.pageSize; cell++) {
      const row = readCell(file, page, page.getUint16(header + 8 + 2 * cell));
      if (row) yield row;
    }
  }
}

/** Returns undefined for a damaged cell. */
function readCell(file: PageFile, page: DataView, offset: number): CarvedRow | undefined {
  try {
    const [size, afterSize] = varint(page, offset);
    const [id, start] = varint(page, afterSize);
    if (size > MAX_ROW_BYTES || !Number.isSafeInteger(id)) return undefined;
    return { id, values: decodeRecord(payload(file, page, start, size)) };
  } catch (error) {
    if (error instanceof RangeError) return undefined; // an offset outside of its page
    throw error;
  }
}

/** Reads a row, whose end may be in a chain of overflow pages. */
function payload(file: PageFile, page: DataView, start: number, size: number): DataView {
  const usable = file.pageSize;
  const maxLocal = usable - 35;
  const minLocal = Math.floor((usable - 12) * 32 / 255) - 23;
  const spilled = minLocal + (size - minLocal) % (usable - 4);
  const local = size <= maxLocal ? size : spilled <= maxLocal ? spilled : minLocal;
  const bytes = new Uint8Array(size);
  bytes.set(new Uint8Array(page.buffer, start, local));
  let next = local < size ? page.getUint32(start + local) : 0;
  for (let at = local; at < size;) {
    if (next < 1 || next > file.count) throw new RangeError("The chain of overflow pages is broken");
    const overflow = file.page(next);
    const length = Math.min(usable - 4, size - at);
    bytes.set(new Uint8Array(overflow.buffer, 4, length), at);
    at += length;
    next = overflow.getUint32(0);
  }
  return new DataView(bytes.buffer);
}

function decodeRecord(record: DataView): Value[] {
  const [headerSize, first] = varint(record, 0);
  const values: Value[] = [];
  let at = headerSize;
  for (let header = first; header < headerSize;) {
    const [type, next] = varint(record, header);
    const [value, size] = decodeValue(record, at, type);
    values.push(value);
    header = next;
    at += size;
  }
  return values;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes a value by its serial type. Returns it with its size. */
function decodeValue(record: DataView, at: number, type: number): [Value, number] {
  if (type === 0) return [null, 0];
  if (type === 1) return [record.getInt8(at), 1];
  if (type === 2) return [record.getInt16(at), 2];
  if (type === 3) return [(record.getInt16(at) << 8) | record.getUint8(at + 2), 3];
  if (type === 4) return [record.getInt32(at), 4];
  if (type === 5) return [record.getInt16(at) * 2 ** 32 + record.getUint32(at + 2), 6];
  if (type === 6) return [record.getBigInt64(at), 8];
  if (type === 7) return [record.getFloat64(at), 8];
  if (type === 8 || type === 9) return [type - 8, 0];
  if (type < 12) throw new RangeError(`No value has the serial type ${type}`);
  const size = Math.floor((type - 12) / 2);
  const bytes = new Uint8Array(record.buffer, at, size);
  try {
    return [type % 2 === 0 ? bytes : decoder.decode(bytes), size];
  } catch {
    throw new RangeError("Text must be UTF-8");
  }
}

/** Decodes an integer of 1 to 9 bytes. Returns it with the offset after it. */
function varint(view: DataView, offset: number): [value: number, next: number] {
  let value = 0;
  for (let at = offset; at < offset + 8; at++) {
    const byte = view.getUint8(at);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + 1];
  }
  return [value * 256 + view.getUint8(offset + 8), offset + 9];
}

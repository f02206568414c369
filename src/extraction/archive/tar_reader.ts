import { fileTooLarge, withoutBytes } from "../contained_files.ts";
import { damaged, ExtractionError } from "../errors.ts";
import type { ContainedFile, ContainedFileLimits } from "../types.ts";
import { decodeNames } from "./member_names.ts";
import { isSkipped } from "./skipped_members.ts";

const BLOCK = 512;
/** Maximum size of a block with a long name or with extended attributes, in bytes. */
const MAX_HEADER_BYTES = 2 ** 20;
/** Maximum number of digits of the length of a pax record. */
const MAX_LENGTH_DIGITS = 10;
/** Maximum number of members of any kind. */
const MAX_MEMBERS = 100_000;
const decoder = new TextDecoder();

/** Whether a file starts with a TAR header: the checksum decides, as versions before POSIX have no magic bytes. */
export function isTar(bytes: Uint8Array): boolean {
  if (bytes.length < BLOCK) return false;
  const declared = octal(bytes.subarray(148, 156));
  if (declared === undefined || bytes[0] === 0) return false;
  return declared === headerSum(bytes);
}

/**
 * Yields the files of a TAR archive (POSIX pax, GNU, and the older formats), one at a time. Links, devices and folders are
 * skipped.
 *
 * @throws {ExtractionError} `damaged`
 */
export async function* unpackTar(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { name, limits }: { name: string; limits: ContainedFileLimits },
): AsyncGenerator<ContainedFile> {
  const input = new BlockReader(source);
  let attributes: Attributes = {};
  let globals: Attributes = {};
  for (let members = 0; members < MAX_MEMBERS; members++) {
    const header = await input.read(BLOCK);
    // Two zero blocks end the archive; some programs write none.
    if (!header || header.every((byte) => byte === 0)) return;
    if (!isTar(header)) throw damaged(name, "its archive is damaged");
    const sizeBytes = attributes.size ?? number(header.subarray(124, 136));
    const padded = Math.ceil(sizeBytes / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156]!);
    if ("xgLK".includes(type)) {
      const data = padded <= MAX_HEADER_BYTES ? await input.read(padded) : undefined;
      if (!data) throw damaged(name, "its archive is truncated or damaged");
      const body = data.subarray(0, sizeBytes);
      if (type === "x") attributes = { ...attributes, ...paxAttributes(body) };
      else if (type === "g") globals = paxAttributes(body);
      else if (type === "L") attributes = { ...attributes, path: cString(body) };
      continue;
    }
    const path = attributes.path ?? globals.path ?? headerPath(header);
    attributes = {};
    const isFile = (type === "0" || type === "\0" || type === "7") && !/[/\\]$/.test(path) &&
      !isSkipped(path);
    const isTooLarge = sizeBytes > limits.maxFileBytes;
    if (!isFile || isTooLarge) {
      // A link or folder of an old format may declare a size without data.
      const hasData = type !== "1" && type !== "2" && type !== "5";
      if (hasData && !await input.skip(padded)) throw damaged(name, "its archive is truncated");
      if (isFile) yield withoutBytes({ path }, fileTooLarge(path, limits.maxFileBytes));
      continue;
    }
    const data = await input.read(padded) ?? await input.rest(sizeBytes);
    if (!data) throw damaged(name, "its archive is truncated");
    yield { path, bytes: data.subarray(0, sizeBytes) };
  }
}

/** Number of bytes that a count scans at a time. */
const SLICE_BYTES = 65_536;

/**
 * Counts the files of a TAR archive that is not compressed up to a number, from its headers alone. In a damaged archive,
 * counts those before the damage.
 */
export async function countTarFiles(
  bytes: Uint8Array,
  { name, max }: { readonly name: string; readonly max: number },
): Promise<number> {
  const slices = function* () {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
  };
  // Every file is larger, and skipped.
  const limits = { maxFiles: max, maxFileBytes: -1, maxTotalBytes: 0 };
  let count = 0;
  try {
    for await (const _ of unpackTar(slices(), { name, limits })) {
      if (++count > max) break;
    }
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error;
  }
  return count;
}

/** Attributes of the next member, from a header before it. */
interface Attributes {
  readonly path?: string;
  readonly size?: number;
}

/** Parses the records `LENGTH KEY=VALUE\n` of a pax header. */
function paxAttributes(body: Uint8Array): Attributes {
  const attributes: { path?: string; size?: number } = {};
  for (let at = 0; at < body.length;) {
    // A search to the end for each of a million records would take minutes.
    const space = body.subarray(at, at + MAX_LENGTH_DIGITS + 1).indexOf(0x20) + at;
    const length = Number(decoder.decode(body.subarray(at, Math.max(at, space))));
    if (space < at || !Number.isSafeInteger(length) || at + length <= space + 1) break;
    const record = decoder.decode(body.subarray(space + 1, at + length - 1));
    const equals = record.indexOf("=");
    const value = record.slice(equals + 1);
    if (record.startsWith("path=")) attributes.path = value;
    else if (record.startsWith("size=") && /^\d{1,15}$/.test(value)) attributes.size = Number(value);
    at += length;
  }
  return attributes;
}

function headerPath(header: Uint8Array): string {
  const name = untilZero(header.subarray(0, 100));
  const isPosix = decoder.decode(header.subarray(257, 263)) === "ustar\0";
  const prefix = isPosix ? untilZero(header.subarray(345, 500)) : new Uint8Array();
  const joined = prefix.length > 0 ? Uint8Array.of(...prefix, 0x2f, ...name) : name;
  return decodeNames([joined])[0] ?? "";
}

function cString(bytes: Uint8Array): string {
  return decodeNames([untilZero(bytes)])[0] ?? "";
}

function untilZero(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

/** Sum of the bytes of a header, with its checksum field as spaces. */
function headerSum(header: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 0x20 : header[at]!;
  return sum;
}

/** Reads a size: octal, or binary with its first bit set (GNU). */
function number(field: Uint8Array): number {
  if ((field[0]! & 0x80) === 0) return octal(field) ?? 0;
  let value = field[0]! & 0x7f;
  for (const byte of field.subarray(1)) value = value * 256 + byte;
  return value;
}

function octal(field: Uint8Array): number | undefined {
  const digits = /^[\s\0]*([0-7]+)[\s\0]*/.exec(String.fromCharCode(...field))?.[1];
  return digits === undefined ? undefined : parseInt(digits, 8);
}

/** Reads exact numbers of bytes from a stream. */
class BlockReader {
  readonly #source: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  #buffer = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.#source = Symbol.asyncIterator in source
      ? source[Symbol.asyncIterator]()
      : source[Symbol.iterator]();
  }

  /** Returns a copy of the next bytes, or undefined at the end, where {@linkcode BlockReader.rest} has the remainder. */
  async read(count: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const parts: Uint8Array[] = [];
    let length = 0;
    while (length < count && (this.#buffer.length > 0 || await this.#fill())) {
      const part = this.#take(count - length);
      parts.push(part);
      length += part.length;
    }
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    if (length === count) return bytes;
    this.#buffer = bytes;
    return undefined;
  }

  /** Returns the bytes that are left if there are `count`: the padding of the last file may be missing. */
  rest(count: number): Uint8Array<ArrayBuffer> | undefined {
    return this.#buffer.length >= count ? this.#buffer.slice() : undefined;
  }

  /** Skips bytes. Returns whether there were as many. */
  async skip(count: number): Promise<boolean> {
    let left = count;
    while (left > 0 && (this.#buffer.length > 0 || await this.#fill())) left -= this.#take(left).length;
    return left === 0;
  }

  #take(count: number): Uint8Array {
    const part = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(part.length) as Uint8Array<ArrayBuffer>;
    return part;
  }

  async #fill(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done) return false;
    // A stream may reuse its buffer.
    this.#buffer = value.slice() as Uint8Array<ArrayBuffer>;
    return true;
  }
}

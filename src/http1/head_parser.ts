/**
 * Parses request heads, strictly (RFC 9112 §2–5).
 *
 * Threat: request smuggling. A proxy and this server that read the same bytes differently disagree about where
 * a request ends. Whatever the RFC lets a recipient repair or guess is rejected here.
 */
import { MAX_FIELDS, MAX_HEAD_BYTES, MAX_REQUEST_LINE_BYTES } from "./limits.ts";
import { ProtocolError } from "./protocol_error.ts";
import { RequestHeaders } from "./request_headers.ts";

/** A parsed request head. */
export interface RequestHead {
  readonly method: string;
  /** The request target as it was sent. */
  readonly target: string;
  /** Minor version of HTTP/1. */
  readonly minor: 0 | 1;
  readonly headers: RequestHeaders;
  /** Values of the fields that determine framing and routing, in the order of the request. */
  readonly hosts: readonly string[];
  readonly lengths: readonly string[];
  readonly codings: readonly string[];
  /** `Connection` and `Expect` in lower case. */
  readonly connection: string | undefined;
  readonly expect: string | undefined;
}

/** RFC 9110 §5.6.2. */
export const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) ([\\x21-\\x7e]+) HTTP/(\\d)\\.(\\d)$`);
/** No folded lines (RFC 9112 §5.2), no space before the colon (§5.1), no bare CR (§2.2), no control characters. */
const FIELD_LINES = new RegExp(`^(?:${TOKEN}:[\\t\\x20-\\x7e\\x80-\\xff]*\\r\\n)*$`);

const CR = 13;
const LF = 10;
const NONE: readonly string[] = [];
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Searches for the empty line after a request head.
 *
 * @param from Offset up to which an earlier call has searched.
 * @returns The offset of that line; -1: it has not arrived.
 * @throws {ProtocolError} For a line that ends without CR.
 */
export function findHeadEnd(bytes: Uint8Array, from: number, end: number): number {
  for (let lf = bytes.indexOf(LF, from); lf >= 0 && lf < end; lf = bytes.indexOf(LF, lf + 1)) {
    if (lf === 0 || bytes[lf - 1] !== CR) throw new ProtocolError(400, "Lines must end with CRLF");
    if (lf >= 3 && bytes[lf - 2] === LF) return lf - 1;
  }
  return -1;
}

/**
 * Checks the part of a head that has arrived, so that garbage and overlong heads are rejected at once.
 *
 * @throws {ProtocolError}
 */
export function checkPartialHead(bytes: Uint8Array, start: number, end: number): void {
  if (end - start > MAX_HEAD_BYTES) throw headTooLarge();
  const lineEnd = bytes.indexOf(CR, start);
  const lineLength = (lineEnd < 0 || lineEnd > end ? end : lineEnd) - start;
  if (lineLength > MAX_REQUEST_LINE_BYTES) throw requestLineTooLong();
  // Such as a TLS handshake, which waits for an answer.
  if (end > start && !isTokenByte(bytes[start]!)) throw malformedRequestLine();
}

function isTokenByte(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f;
}

/**
 * Parses a request head.
 *
 * @param head The request line and the field lines, each with its CRLF.
 * @throws {ProtocolError}
 */
export function parseHead(head: Uint8Array): RequestHead {
  if (head.byteLength > MAX_HEAD_BYTES) throw headTooLarge();
  const text = decodeLatin1(head);
  const lineEnd = text.indexOf("\r\n");
  if (lineEnd > MAX_REQUEST_LINE_BYTES) throw requestLineTooLong();
  const line = REQUEST_LINE.exec(text.slice(0, lineEnd));
  if (!line) throw malformedRequestLine();
  const [, method, target, major, minor] = line;
  if (major !== "1" || minor! > "1") {
    throw new ProtocolError(505, `HTTP/${major}.${minor} is not supported: use HTTP/1.1`);
  }
  const fields = text.slice(lineEnd + 2);
  if (!FIELD_LINES.test(fields)) throw new ProtocolError(400, "Malformed header field");
  return parseFields(fields, { method: method!, target: target!, minor: minor === "1" ? 1 : 0 });
}

function parseFields(
  fields: string,
  line: Pick<RequestHead, "method" | "target" | "minor">,
): RequestHead {
  const names: string[] = [];
  const values: string[] = [];
  let hosts = NONE, lengths = NONE, codings = NONE;
  let connection: string | undefined;
  let expect: string | undefined;
  for (let at = 0; at < fields.length;) {
    const colon = fields.indexOf(":", at);
    const end = fields.indexOf("\r", colon);
    const name = fields.slice(at, colon).toLowerCase();
    const value = trimSpaces(fields, colon + 1, end);
    if (names.push(name) > MAX_FIELDS) throw headTooLarge();
    values.push(value);
    at = end + 2;
    switch (name) {
      case "host":
        hosts = [...hosts, value];
        break;
      case "content-length":
        lengths = [...lengths, value];
        break;
      case "transfer-encoding":
        codings = [...codings, value];
        break;
      case "connection":
        connection = join(connection, value);
        break;
      case "expect":
        expect = join(expect, value);
        break;
    }
  }
  return { ...line, headers: new RequestHeaders(names, values), hosts, lengths, codings, connection, expect };
}

function join(list: string | undefined, value: string): string {
  return list === undefined ? value.toLowerCase() : `${list},${value.toLowerCase()}`;
}

/** Removes optional white space (RFC 9110 §5.6.3). `trim` would remove other characters as well. */
function trimSpaces(text: string, start: number, end: number): string {
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}

/** The UTF-8 decoder is four times as fast as the Latin-1 decoder, and right for ASCII. */
function decodeLatin1(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  if (text.length === bytes.byteLength && !text.includes("\ufffd")) return text;
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function malformedRequestLine(): ProtocolError {
  return new ProtocolError(400, "Malformed request line");
}

function requestLineTooLong(): ProtocolError {
  return new ProtocolError(414, `The request line must be at most ${MAX_REQUEST_LINE_BYTES} bytes`);
}

function headTooLarge(): ProtocolError {
  const message =
    `The request head must be at most ${MAX_HEAD_BYTES} bytes and have at most ${MAX_FIELDS} fields`;
  return new ProtocolError(431, message);
}

/**
 * A streaming parser of `multipart/form-data` (RFC 7578, over RFC 2046 §5.1).
 *
 * Why our own: `Request.formData()` holds the whole body in memory, and a body here may be a file of gigabytes.
 *
 * The input is hostile until shown otherwise: headers, parts and everything between them are bounded, line ends are
 * CRLF and nothing else, and whatever two parsers could read in two ways is refused.
 */
import { DelimitedReader, Needle } from "./delimited.ts";
import { HttpError } from "./errors.ts";
import { decodeExtendedValue, parseHeaderParams } from "./header_params.ts";

/** One part of a form. */
export interface Part {
  readonly name: string;
  /** Last segment of the name that the sender gave; undefined: it gave none, or nothing usable. */
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
  /** The bytes. To be read before the next part is asked for; what is left over is skipped. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Most parts: 64 tags, the other fields, and room for repetitions that deserve a better message than this one. */
const MAX_PARTS = 128;
/** Most bytes of one part's headers. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Most bytes before the first boundary and after the last one, both of which RFC 2046 §5.1.1 has us ignore. */
const MAX_AROUND_BYTES = 4 * 1024;
/** Most white space after a boundary ("transport padding", RFC 2046 §5.1.1). */
const MAX_PADDING_BYTES = 128;
/** Most UTF-16 code units of a file's name; the end is kept, since it has the extension. */
const MAX_FILENAME = 255;

const CRLF = new Needle(new Uint8Array([13, 10]));
const encoder = new TextEncoder();

/**
 * The boundary of a form.
 *
 * @throws {HttpError} `unsupported_media_type` for another media type, `invalid` without a proper boundary.
 */
export function multipartBoundary(contentType: string | null): string {
  const { value, params } = parseHeaderParams("Content-Type", contentType ?? "");
  if (value !== "multipart/form-data") {
    throw new HttpError(
      "unsupported_media_type",
      `Content-Type must be multipart/form-data, got ${value.slice(0, 100) || "none"}`,
    );
  }
  const boundary = params.get("boundary");
  // RFC 2046 §5.1.1: 1–70 characters of this set, the last of which is no space.
  if (boundary && /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/.test(boundary)) return boundary;
  throw new HttpError(
    "invalid",
    "Content-Type must name the boundary of the form, 1–70 characters: let the HTTP library set this header",
  );
}

/**
 * The parts of a form, in order, read no faster than they are consumed.
 *
 * @throws {HttpError} `invalid` for a malformed or truncated form; what the source throws.
 */
export async function* readMultipart(
  source: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<Part> {
  const delimiter = new Needle(encoder.encode(`\r\n--${boundary}`));
  // The first boundary may stand at the very start, where no CRLF precedes it.
  const reader = new DelimitedReader(source, CRLF.bytes);
  try {
    await reader.readUntil(delimiter, MAX_AROUND_BYTES, () => malformed("it must start with its boundary"));
    for (let count = 0; !await isClosing(reader); count++) {
      if (count === MAX_PARTS) throw malformed(`it must have at most ${MAX_PARTS} parts`);
      const header = await readPartHeader(reader);
      const body = reader.piecesUntil(delimiter);
      yield { ...header, body: { [Symbol.asyncIterator]: () => ({ next: () => body.next() }) } };
      while (!(await body.next()).done);
    }
    await reader.drain(MAX_AROUND_BYTES, () => malformed("it must end with its closing boundary"));
  } finally {
    await reader.close();
  }
}

/** What follows a boundary: `--` after the last one, otherwise the end of its line. */
async function isClosing(reader: DelimitedReader): Promise<boolean> {
  const next = await reader.peek(2);
  if (next[0] === 0x2d && next[1] === 0x2d) return true;
  const unexpected = () => malformed("a boundary must be followed by a line end");
  const padding = await reader.readUntil(CRLF, MAX_PADDING_BYTES, unexpected);
  if (padding.some((byte) => byte !== 0x20 && byte !== 0x09)) throw unexpected();
  return false;
}

async function readPartHeader(reader: DelimitedReader): Promise<Omit<Part, "body">> {
  const tooLong = () => malformed(`the headers of a part must be at most ${MAX_HEADER_BYTES} bytes`);
  const headers = new Map<string, string>();
  for (let left = MAX_HEADER_BYTES;;) {
    const line = await reader.readUntil(CRLF, left, tooLong);
    if (line.length === 0) break;
    left -= Math.min(left, line.length + 2);
    const [name, value] = splitHeader(line);
    if (headers.has(name)) throw malformed(`a part must have one ${name} header`);
    headers.set(name, value);
  }
  const { value, params } = parseHeaderParams(
    "Content-Disposition",
    headers.get("content-disposition") ?? "",
  );
  const name = params.get("name");
  if (value !== "form-data" || name === undefined) {
    throw malformed('each part must have the header Content-Disposition: form-data; name="…"');
  }
  // RFC 7578 §4.7: deprecated, and a part so encoded would be stored as something that nobody sent.
  if (!/^(?:7bit|8bit|binary)$/i.test(headers.get("content-transfer-encoding") ?? "binary")) {
    throw malformed("Content-Transfer-Encoding must be left out: send the bytes as they are");
  }
  // RFC 7578 §4.2 rules `filename*` out and yet it is sent; where both are given it wins (RFC 6266 §4.3).
  const extended = params.get("filename*");
  const given = extended === undefined ? params.get("filename") : decodeExtendedValue("filename*", extended);
  return {
    name: unescapeFormName(name),
    filename: given === undefined ? undefined : lastSegment(unescapeFormName(given)),
    contentType: headers.get("content-type") || undefined,
  };
}

function splitHeader(line: Uint8Array): [name: string, value: string] {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
  } catch (cause) {
    throw new HttpError("invalid", "The multipart form is malformed: its headers must be UTF-8", { cause });
  }
  // No folding, no control characters: a bare CR or LF is where two parsers would come apart.
  // deno-lint-ignore no-control-regex
  const match = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\u0000-\u0008\u000a-\u001f\u007f]*)$/.exec(text);
  if (!match?.[1]) throw malformed("each header of a part must be of the form Name: value");
  return [match[1].toLowerCase(), match[2]?.trimEnd() ?? ""];
}

/** Undoes what browsers and `FormData` write for the three characters that a quoted name cannot hold (HTML §4.10.21.8). */
function unescapeFormName(name: string): string {
  return name.replace(/%(22|0d|0a)/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

// What no file's name should hold.
// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/g;

/** The name without directories, whichever separator they are written with. */
function lastSegment(path: string): string | undefined {
  const start = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  const name = path.slice(start).replace(CONTROL, "").trim();
  return /^\.{0,2}$/.test(name) ? undefined : name.slice(-MAX_FILENAME).toWellFormed();
}

function malformed(requirement: string): HttpError {
  return new HttpError("invalid", `The multipart form is malformed: ${requirement}`);
}

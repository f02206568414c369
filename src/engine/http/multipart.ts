/**
 * A streaming parser of `multipart/form-data` (RFC 7578, RFC 2046 §5.1).
 *
 * Own code because `Request.formData()` buffers the whole body, which may be a file of gigabytes, and because
 * the available packages buffer parts or accept malformed forms
 * (docs/decisions/d19-engine-router-and-forms.md).
 *
 * Threats: unbounded headers, parts and padding, and forms that two parsers read differently. Everything is
 * bounded, only CRLF ends a line, and ambiguous input is rejected.
 */
import { DelimitedReader, Delimiter } from "./delimited_reader.ts";
import { HttpError } from "./errors.ts";
import { decodeExtendedValue, parseHeaderParams } from "./header_params.ts";

/** A part of a form. */
export interface FormPart {
  /** Name of the field. */
  readonly name: string;
  /** File name without directories; undefined if missing or unusable. */
  readonly filename: string | undefined;
  /** Media type claimed by the sender. */
  readonly contentType: string | undefined;
  /** The content. Must be read before the next part is requested; unread bytes are skipped. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Maximum number of parts: 64 tags, the other fields, and some repeated fields, which get a more specific
 * error.
 */
const MAX_PARTS = 128;
/** Maximum size of the headers of a part, in bytes. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Maximum size of the preamble and of the epilogue, which are ignored (RFC 2046 §5.1.1), in bytes. */
const MAX_PREAMBLE_BYTES = 4 * 1024;
/** Maximum size of the white space after a boundary (transport padding, RFC 2046 §5.1.1), in bytes. */
const MAX_PADDING_BYTES = 128;
/** Maximum length of a file name in UTF-16 code units. The end is kept, because it contains the extension. */
const MAX_FILENAME_CHARS = 255;

const CRLF = new Delimiter(new Uint8Array([13, 10]));
const encoder = new TextEncoder();
const latin1 = new TextDecoder("latin1");
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Returns the boundary of a form.
 *
 * @throws {HttpError} `unsupported_media_type` for another media type, `invalid` without a valid boundary.
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
  // 1–70 characters of this set, the last one not a space (RFC 2046 §5.1.1).
  if (boundary && /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/.test(boundary)) return boundary;
  throw new HttpError(
    "invalid",
    "Content-Type must have a boundary of 1–70 characters: let the HTTP library set this header",
  );
}

/**
 * Yields the parts of a form in order. Reads the source only as the parts are consumed.
 *
 * @throws {HttpError} `invalid` for a malformed or truncated form. Errors of the source are passed through.
 */
export async function* readMultipart(
  source: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<FormPart> {
  const delimiter = new Delimiter(encoder.encode(`\r\n--${boundary}`));
  const dashBoundary = delimiter.bytes.subarray(2);
  // The prefix: no CRLF precedes a boundary at the start of the body.
  const reader = new DelimitedReader(source, CRLF.bytes);
  try {
    await reader.readUntil(delimiter, MAX_PREAMBLE_BYTES, () => malformed("it must start with its boundary"));
    for (let count = 0; !await isLastBoundary(reader); count++) {
      if (count === MAX_PARTS) throw malformed(`it must have at most ${MAX_PARTS} parts`);
      const header = await readPartHeader(reader);
      // The empty line would end the headers and start the next boundary. Some parsers take the boundary for
      // content.
      const start = await reader.peek(dashBoundary.length);
      if (dashBoundary.every((byte, at) => start[at] === byte)) {
        throw malformed("an empty part must have a line end before the next boundary");
      }
      const body = reader.chunksUntil(delimiter);
      yield { ...header, body: { [Symbol.asyncIterator]: () => ({ next: () => body.next() }) } };
      while (!(await body.next()).done);
    }
    await checkClosingBoundary(reader);
    await reader.skipToEnd(MAX_PREAMBLE_BYTES, () => malformed("it must end with its closing boundary"));
  } finally {
    await reader.close();
  }
}

/** Whether `--` follows a boundary, which makes it the last one. Otherwise consumes the rest of its line. */
async function isLastBoundary(reader: DelimitedReader): Promise<boolean> {
  const next = await reader.peek(2);
  if (next[0] === 0x2d && next[1] === 0x2d) return true;
  const unexpected = () => malformed("a boundary must be followed by a line end");
  const padding = await reader.readUntil(CRLF, MAX_PADDING_BYTES, unexpected);
  if (padding.some((byte) => byte !== 0x20 && byte !== 0x09)) throw unexpected();
  return false;
}

/**
 * Checks that the line of the last boundary ends after its padding. Otherwise parsers differ: for some of
 * them the line is part of the content.
 */
async function checkClosingBoundary(reader: DelimitedReader): Promise<void> {
  const rest = latin1.decode(await reader.peek(2 + MAX_PADDING_BYTES + 2));
  if (!/^--[ \t]*(?:\r\n|$)/.test(rest)) {
    throw malformed("its closing boundary must be followed by a line end");
  }
}

async function readPartHeader(reader: DelimitedReader): Promise<Omit<FormPart, "body">> {
  const tooLong = () => malformed(`the headers of a part must be at most ${MAX_HEADER_BYTES} bytes`);
  const headers = new Map<string, string>();
  let remainingBytes = MAX_HEADER_BYTES;
  while (true) {
    const line = await reader.readUntil(CRLF, remainingBytes, tooLong);
    if (line.length === 0) break;
    remainingBytes -= Math.min(remainingBytes, line.length + 2);
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
  // Deprecated by RFC 7578 §4.7. Storing the encoded bytes would corrupt the file.
  if (!/^(?:7bit|8bit|binary)$/i.test(headers.get("content-transfer-encoding") ?? "binary")) {
    throw malformed("Content-Transfer-Encoding must be left out: send the bytes as they are");
  }
  // Forbidden by RFC 7578 §4.2, but some clients send it. It takes precedence over `filename` (RFC 6266
  // §4.3).
  const extended = params.get("filename*");
  const filename = extended === undefined
    ? params.get("filename")
    : decodeExtendedValue("filename*", extended);
  return {
    name: unescapeFormName(name),
    filename: filename === undefined ? undefined : baseName(unescapeFormName(filename)),
    contentType: headers.get("content-type") || undefined,
  };
}

function splitHeader(line: Uint8Array): [name: string, value: string] {
  let text: string;
  try {
    text = utf8.decode(line);
  } catch (cause) {
    throw new HttpError("invalid", "The multipart form is malformed: its headers must be UTF-8", { cause });
  }
  // No folding and no control characters: parsers disagree about a bare CR or LF.
  // deno-lint-ignore no-control-regex
  const match = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\u0000-\u0008\u000a-\u001f\u007f]*)$/.exec(text);
  if (!match?.[1]) throw malformed("each header of a part must have the form Name: value");
  return [match[1].toLowerCase(), match[2]?.trimEnd() ?? ""];
}

/** Decodes the escapes that browsers and `FormData` write for `"`, CR and LF (HTML standard §4.10.21.8). */
function unescapeFormName(name: string): string {
  return name.replace(/%(22|0d|0a)/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** Returns a file name without directories (after `/` or `\`) and control characters. */
function baseName(path: string): string | undefined {
  const start = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  // deno-lint-ignore no-control-regex -- removes control characters
  const name = path.slice(start).replace(/[\u0000-\u001f\u007f]/g, "").trim();
  return /^\.{0,2}$/.test(name) ? undefined : name.slice(-MAX_FILENAME_CHARS).toWellFormed();
}

function malformed(requirement: string): HttpError {
  return new HttpError("invalid", `The multipart form is malformed: ${requirement}`);
}

import { HttpError } from "./errors.ts";

/** A parsed header value such as `form-data; name="file"; filename="a.pdf"`. */
export interface HeaderValue {
  /** The text before the first parameter, in lower case. */
  readonly value: string;
  /** Parameters by lower-case name. */
  readonly params: ReadonlyMap<string, string>;
}

/** `; name=token` or `; name="quoted string"` (RFC 9110 §5.6.6). */
const PARAMETER = /[ \t]*;[ \t]*(?:([^\s"(),/:;<=>?@[\\\]{}]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]*)))?/y;

/**
 * Parses a header value with parameters.
 *
 * In a quoted string only `\"` and `\\` are escapes. RFC 9110 allows `\` before any character, but some
 * clients send Windows paths as `filename` without escaping them.
 *
 * @param header Name of the header, for the error message.
 * @throws {HttpError} `invalid` for malformed and for repeated parameters.
 */
export function parseHeaderParams(header: string, text: string): HeaderValue {
  const end = text.indexOf(";");
  const value = (end < 0 ? text : text.slice(0, end)).trim().toLowerCase();
  const params = new Map<string, string>();
  PARAMETER.lastIndex = end < 0 ? text.length : end;
  while (PARAMETER.lastIndex < text.trimEnd().length) {
    const match = PARAMETER.exec(text);
    if (!match) throw new HttpError("invalid", `${header} is malformed: its parameters must be name="value"`);
    const name = match[1]?.toLowerCase();
    if (name === undefined) continue;
    if (params.has(name)) throw new HttpError("invalid", `${header} must have ${name} once`);
    params.set(name, match[2]?.replace(/\\(["\\])/g, "$1") ?? match[3] ?? "");
  }
  return { value, params };
}

/**
 * Decodes an extended parameter value such as `UTF-8''na%C3%AFve.pdf` (RFC 8187 §3.2).
 *
 * @param name Name of the parameter, for the error message.
 * @throws {HttpError} `invalid` for a charset other than UTF-8 or ISO-8859-1, or malformed escapes.
 */
export function decodeExtendedValue(name: string, text: string): string {
  const match = /^(utf-8|iso-8859-1)'[^']*'((?:[\w!#$&+.^`|~-]|%[0-9a-f]{2})*)$/i.exec(text);
  if (!match?.[1]) throw new HttpError("invalid", `${name} must have the form UTF-8''percent-encoded`);
  const encoded = match[2] ?? "";
  if (match[1].toLowerCase() === "iso-8859-1") {
    return encoded.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  }
  try {
    return decodeURIComponent(encoded);
  } catch (cause) {
    throw new HttpError("invalid", `${name} must be percent-encoded UTF-8`, { cause });
  }
}

import { quoteText } from "../../text/mod.ts";
import { HttpError } from "./errors.ts";

/*
 * Conditional requests (RFC 9110 §13). The entity tag of a document is its version in quotation marks, such as
 * `"3"`: each change of text or metadata counts.
 */

/** The characters of an opaque tag (RFC 9110 §8.8.3), as bytes in Latin-1. */
const TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/y;
const SEPARATOR = /[ \t]*(?:,[ \t]*)+/y;

/** An entity tag of a condition. */
interface EntityTag {
  readonly isWeak: boolean;
  readonly opaque: string;
}

/** Returns the entity tag of a version. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/**
 * Parses `If-Match` into versions. Tags that are weak or not a version match nothing (RFC 9110 §13.1.1).
 *
 * @returns The versions that match; undefined for no condition and for `*`, which every existing document
 * meets.
 * @throws {HttpError} `invalid` for a malformed header.
 */
export function parseIfMatch(value: string | null): readonly number[] | undefined {
  if (value === null || value.trim() === "*") return undefined;
  return parseTags("If-Match", value).flatMap(({ isWeak, opaque }) =>
    !isWeak && /^[1-9]\d{0,14}$/.test(opaque) ? [Number(opaque)] : []
  );
}

/**
 * Returns whether `If-None-Match` has an entity tag, by the weak comparison (RFC 9110 §13.1.2).
 *
 * @throws {HttpError} `invalid` for a malformed header.
 */
export function matchesNone(value: string | null, etag: string): boolean {
  if (value === null) return false;
  return value.trim() === "*" ||
    parseTags("If-None-Match", value).some(({ opaque }) => `"${opaque}"` === etag);
}

/** Parses a list of entity tags, with empty elements (RFC 9110 §5.6.1.2). */
function parseTags(header: string, value: string): EntityTag[] {
  const tags: EntityTag[] = [];
  const list = value.trim().replace(/^[, \t]+/, "");
  for (let at = 0; at < list.length;) {
    TAG.lastIndex = at;
    const match = TAG.exec(list);
    if (!match) throw malformed(header, value);
    tags.push({ isWeak: match[1] !== undefined, opaque: match[2] ?? "" });
    at = TAG.lastIndex;
    if (at === list.length) break;
    SEPARATOR.lastIndex = at;
    if (!SEPARATOR.test(list)) throw malformed(header, value);
    at = SEPARATOR.lastIndex;
  }
  if (tags.length === 0) throw malformed(header, value);
  return tags;
}

function malformed(header: string, value: string): HttpError {
  return new HttpError(
    "invalid",
    `${header} must be *, or entity tags such as "3" in quotation marks, got ${quoteText(value, 60)}`,
  );
}

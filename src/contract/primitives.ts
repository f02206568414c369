import * as z from "zod";

/** The version of the engine contract that this program speaks (`engine.version` in `GET /api/v1/status`). */
export const CONTRACT_VERSION = "3.1.0";

/** Minimum version of an engine (decision D7). Later minor versions only add to it. */
export const MIN_ENGINE_VERSION = "3.0.0";

/** Every path of the contract starts with this. */
export const API_PREFIX = "/api/v1";

/**
 * Identifier of a document, chunk or job. The embedded engine counts in integers; an engine from elsewhere may
 * use strings (a UUID, say). Callers compare ids by `String(id)` and never calculate with them.
 */
export const Id = z.union([
  z.int().nonnegative(),
  z.string().min(1).max(200).refine((id) => id.isWellFormed(), "must be well-formed Unicode text"),
]);
/** Inferred from {@linkcode Id}. */
export type Id = z.infer<typeof Id>;

/** Instant in UTC as RFC 3339 text. Engines differ in precision and suffix, so answers are not checked further. */
export const Timestamp = z.string();

/**
 * A point in time that a caller types: an RFC 3339 date (`2026-03-31`) or date-time (`2026-03-31T09:00:00Z`).
 * A date alone means its whole day: from its first millisecond for `since`, through its last for `until` (UTC).
 */
export const DateInput = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })]);

/**
 * Returns the time that a {@linkcode DateInput} means as a bound, in milliseconds since 1970: the first millisecond of a
 * date for `since`, its last for `until`. A date-time without an offset is UTC.
 *
 * @returns NaN for a text that is not a `DateInput`.
 */
export function dateInputTime(text: string, bound: "since" | "until"): number {
  if (!text.includes("T")) {
    return Date.parse(text + (bound === "since" ? "T00:00:00.000Z" : "T23:59:59.999Z"));
  }
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
}

/** A tag: 1–200 characters, no control characters, no leading or trailing white space. */
export const Tag = z.string().min(1).max(200).regex(
  // deno-lint-ignore no-control-regex
  /^(?!\s)[^\u0000-\u001f\u007f]+(?<!\s)$/u,
  "must have no control characters and no white space at its ends",
);

/** Tags of a document or of a filter: at most 64. */
export const Tags = z.array(Tag).max(64);

/** Opaque position in a listing; pass back the `next_cursor` of the page before. */
export const Cursor = z.string().min(1).max(500);

/** Longest query, in characters, that a search accepts. */
export const MAX_QUERY_CHARS = 10_000;
/** Longest title, in characters. */
export const MAX_TITLE_CHARS = 500;
/** Longest `source_path`, in characters. */
export const MAX_SOURCE_PATH_CHARS = 2_000;
/** Longest note, in characters. */
export const MAX_NOTE_CHARS = 1_000_000;
/** Most results of one search. */
export const MAX_TOP = 50;
/** Most rows in one page of a listing. */
export const MAX_PAGE = 200;

/** No C0, DEL or half of a surrogate pair: in a name they are a mistake, and no listing can show them. */
// deno-lint-ignore no-control-regex -- control characters are what has to be found
const PRINTABLE = /^[^\u0000-\u001f\u007f\ud800-\udfff]*$/u;
const NOT_PRINTABLE = "must have no control characters and no unpaired surrogates";

/** Title of a document: no control characters. */
export const Title = z.string().trim().min(1).max(MAX_TITLE_CHARS).regex(PRINTABLE, NOT_PRINTABLE);
/** Where a document came from: a path, a URL, any stable name without control characters. Unique: new content replaces. */
export const SourcePath = z.string().min(1).max(MAX_SOURCE_PATH_CHARS)
  .regex(PRINTABLE, NOT_PRINTABLE)
  .regex(/\S/, "must not be only white space");
/** Text of a note: something other than white space. */
export const NoteText = z.string().max(MAX_NOTE_CHARS).regex(/\S/, "must not be empty");

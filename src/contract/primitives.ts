import * as z from "zod";
import { MAX_NOTE_CHARS, MAX_SOURCE_PATH_CHARS, MAX_TITLE_CHARS } from "./rules/limits.ts";
import { MAX_TAG_CHARS, TAG_PATTERN } from "./rules/tags.ts";

/** Version of the contract (`version` in `GET /api/v1/status`). */
export const CONTRACT_VERSION = "3.7.0";

/** Minimum version of an engine (decision D7). Later minor versions only add to it. */
export const MIN_ENGINE_VERSION = "3.0.0";

/** Prefix of every path. */
export const API_PREFIX = "/api/v1";

/**
 * Id of a document, chunk or job. The embedded engine has integers; a third-party engine may have strings
 * such as UUIDs. Compare ids by `String(id)`.
 */
export const Id = z.union([
  z.int().nonnegative(),
  z.string().min(1).max(200).refine((id) => id.isWellFormed(), "must be well-formed Unicode text"),
]);
/** Inferred from {@linkcode Id}. */
export type Id = z.infer<typeof Id>;

/** Number of a document's version, from 1. The `ETag` of a document is this number in quotation marks. */
export const Version = z.int().min(1);

/** Request header with the name of the person or program that makes a change, for revisions. Since 3.3. */
export const ACTOR_HEADER = "x-kb-actor";

/** Time in UTC (RFC 3339). Not validated, because engines differ in precision and suffix. */
export const Timestamp = z.string();

/** A time as a caller types it: an RFC 3339 date (`2026-03-31`) or date-time (`2026-03-31T09:00:00Z`). */
export const DateInput = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })]);

/** A tag: 1 to 200 characters without control characters, unpaired surrogates or surrounding white space. */
export const Tag = z.string().min(1).max(MAX_TAG_CHARS).regex(
  TAG_PATTERN,
  "must have no control characters, no unpaired surrogates and no white space at its ends",
);

/** Tags of a document or a filter. */
export const Tags = z.array(Tag).max(64);

/** Language: an ISO 639-1 code such as `de`. */
export const Language = z.string().regex(/^[a-z]{2}$/, "must be an ISO 639-1 code such as de");

/** Opaque position in a listing: the `next_cursor` of the previous page. */
export const Cursor = z.string().min(1).max(500);

/** Rejects C0 controls, DEL and unpaired surrogates, which no listing can show. */
// deno-lint-ignore no-control-regex -- matches control characters on purpose
const PRINTABLE = /^[^\u0000-\u001f\u007f\ud800-\udfff]*$/u;
const NOT_PRINTABLE = "must have no control characters and no unpaired surrogates";

/** Title of a document. */
export const Title = z.string().trim().min(1).max(MAX_TITLE_CHARS).regex(PRINTABLE, NOT_PRINTABLE);
/** Stable name of a document's source, such as a path or URL. Unique: new content replaces the old. */
export const SourcePath = z.string().min(1).max(MAX_SOURCE_PATH_CHARS)
  .regex(PRINTABLE, NOT_PRINTABLE)
  .regex(/\S/, "must not be blank");
/** Text of a note. Not blank. */
export const NoteText = z.string().max(MAX_NOTE_CHARS).regex(/\S/, "must not be empty");

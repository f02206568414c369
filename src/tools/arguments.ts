import * as z from "zod";
import {
  Id,
  MAX_SOURCE_PATH_CHARS,
  MAX_TITLE_CHARS,
  MetadataFilter,
  NoteText as ContractNoteText,
  SourcePath,
  Tag,
  Title,
  withoutPrototype,
} from "../contract/mod.ts";
import { isTime } from "./relative_time.ts";

/*
 * Arguments that several tools share. Limits come from the contract. Patterns are refinements instead of part
 * of the JSON schema, because they cost tokens in every conversation and some model providers reject
 * look-around in `pattern`.
 */

/** Maximum number of tags in a call: the contract's 64, minus the collection tag. */
export const MAX_CALLER_TAGS = 63;

/** Id of a document. */
export const DocumentId = Id.describe("From another tool.");

/** Id of an upload. */
export const UploadId = z.string().min(1).max(100).describe("From kb_upload_start.");

/** Name of a collection. The names depend on the configuration, so the tool checks them when it runs. */
export const CollectionName = z.string().min(1).max(64);

/** Maximum number of collections in a call: the contract's. */
const MAX_COLLECTIONS = 64;

/** Name of a collection, or of several. */
export const CollectionNames = z.union([CollectionName, z.array(CollectionName).max(MAX_COLLECTIONS)]);

/** Tags of a document, except for its collection tag. */
export const CallerTags = z.array(
  z.string().min(1).max(200).refine(
    (value) => Tag.safeParse(value.trim()).success,
    "must have no control characters and no unpaired surrogates, and not be blank",
  ),
).max(MAX_CALLER_TAGS);

/** Main language of documents. A region after it is ignored: `pt-BR` is `pt`. */
export const LanguageCode = z.string().regex(
  /^[a-z]{2}(?:[-_][a-z]{2})?$/i,
  'must be an ISO 639-1 code such as "de"',
);

/** A date, a date-time or a relative time, which {@linkcode resolveTimes} converts. */
export const When = z.string().max(40).refine(
  isTime,
  'must be a date such as "2026-03-31", a date-time such as "2026-03-31T09:00:00Z", or "7d", "2w", "today", "yesterday"',
);

/** Start of a `source_path`. */
export const SourcePathPrefix = z.string().min(1).max(MAX_SOURCE_PATH_CHARS);

/** Fields of metadata and their values. The schema does not list their types, which models guess right. */
export const MetadataFields = withoutPrototype(
  z.record(z.string(), z.unknown()).refine(
    (fields): fields is MetadataFilter => MetadataFilter.safeParse(fields).success,
    "must have at most 16 fields, whose values are text, numbers, booleans, or conditions such as " +
      '{"from":"2026-01-01","to":"2026-03"} or {"exists":true}',
  ),
);

/** Text of a note. */
export const NoteText = ContractNoteText;

/** Title of a document. */
export const DocumentTitle = z.string().max(MAX_TITLE_CHARS).refine(
  (value) => Title.safeParse(value).success,
  "must have printable characters and no control characters",
);

/** Stable name of a document's source. */
export const DocumentSourcePath = z.string().min(1).max(MAX_SOURCE_PATH_CHARS).refine(
  (value) => SourcePath.safeParse(value).success,
  "must have printable characters and no control characters",
);

/** Version that a document must have for a change; otherwise the call is a conflict. */
export const IfVersion = z.int().optional().describe("Its version as read.");

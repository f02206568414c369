import * as z from "zod";
import {
  DateInput,
  Id,
  MAX_SOURCE_PATH_CHARS,
  MAX_TITLE_CHARS,
  NoteText as ContractNoteText,
  SourcePath,
  Tag,
  Title,
} from "../contract/mod.ts";

/*
 * Fields that several tools take. Limits come from the contract; patterns do not go into the JSON schemas (a
 * refinement checks them), because they cost tokens in every conversation and several model providers refuse
 * look-around in `pattern`.
 */

/** Most tags in one call: the contract's 64, less the one that stands for the collection. */
export const MAX_CALLER_TAGS = 63;

/** A document, by the id that other tools answered. */
export const DocumentId = Id.describe("From another tool.");

/** Name of a collection; which names exist is the server's configuration, so it is checked when the tool runs. */
export const CollectionName = z.string().min(1).max(64);

/** Labels of a document, beside its collection. */
export const CallerTags = z.array(
  z.string().min(1).max(200).refine(
    (value) => Tag.safeParse(value.trim()).success,
    "must have no control characters and not be blank",
  ),
).max(MAX_CALLER_TAGS);

/** A point in time, as a model types it. */
export const When = z.string().max(40).refine(
  (value) => DateInput.safeParse(value).success,
  'must be a date such as "2026-03-31" or a date-time such as "2026-03-31T09:00:00Z"',
);

/** Text of a note. */
export const NoteText = ContractNoteText;

/** What a document is called. */
export const DocumentTitle = z.string().max(MAX_TITLE_CHARS).refine(
  (value) => Title.safeParse(value).success,
  "must have printable characters, and no control characters among them",
);

/** The stable name of a document's source. */
export const DocumentSourcePath = z.string().min(1).max(MAX_SOURCE_PATH_CHARS).refine(
  (value) => SourcePath.safeParse(value).success,
  "must have printable characters, and no control characters among them",
);

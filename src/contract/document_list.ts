import * as z from "zod";
import { DocumentSummary } from "./documents.ts";
import { Cursor, DateInput, Language, Tag, Tags } from "./primitives.ts";
import { MAX_PAGE, MAX_SOURCE_PATH_CHARS, MAX_TITLE_CHARS } from "./rules/limits.ts";

/** Sort orders of `POST /api/v1/documents/query`. Each has a natural direction: see `order`. */
export const DOCUMENT_SORTS = ["updated", "created", "title", "size", "used"] as const;
/** Keys by which `POST /api/v1/documents/query` counts documents. */
export const DOCUMENT_GROUPS = ["tag", "collection", "kind", "day"] as const;

/**
 * Condition on a field of metadata. Text compares as text, which orders dates; a list matches if one of its items
 * does. Since contract 3.4.
 */
const MetadataCondition = z.strictObject({
  /** Minimum. */
  from: z.union([z.string().max(500), z.number()]).optional(),
  /** Maximum, including the values that start with it: `2026-03` includes `2026-03-31`. */
  to: z.union([z.string().max(500), z.number()]).optional(),
  /** Whether the field has a value: not null, and not an empty text or list. */
  exists: z.boolean().optional(),
}).refine(
  ({ from, to, exists }) => from !== undefined || to !== undefined || exists !== undefined,
  "must have from, to or exists",
).refine(
  ({ from, to }) => from === undefined || to === undefined || typeof from === typeof to,
  "must have from and to of one type",
);

/**
 * Refuses the field `__proto__` of a filter. Zod drops it from every object, and the filter would match documents that
 * the caller excluded.
 */
export function withoutPrototype<Fields extends z.ZodType>(
  fields: Fields,
): z.ZodPreprocess<Fields, z.input<Fields>> {
  return z.preprocess((value: z.input<Fields>, context) => {
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__")) {
      context.addIssue({ code: "custom", message: 'must not have a field named "__proto__"' });
    }
    return value;
  }, fields);
}

/**
 * Fields of metadata that a document must have, by name: a value, or conditions. A list in the document matches if it
 * contains the value.
 */
export const MetadataFilter = withoutPrototype(
  z.record(
    z.string().min(1).max(100),
    z.union([z.string().max(500), z.number(), z.boolean(), MetadataCondition]),
  ).refine((fields) => Object.keys(fields).length <= 16, "must have at most 16 fields"),
);
/** Inferred from {@linkcode MetadataFilter}. */
export type MetadataFilter = z.infer<typeof MetadataFilter>;

/** Filters on documents that searches and listings share. */
export const documentFilters = {
  /** Only documents with all of these tags. */
  tags: Tags.optional(),
  /** Only documents with at least one of these tags. Not empty, because that could be taken for "all". */
  tags_any: Tags.min(1).optional(),
  /** Only documents without any of these tags. */
  tags_none: Tags.optional(),
  /** Only documents in one of these collections. Not empty, because that could be taken for "all". */
  collections: z.array(Tag).min(1).max(64).optional(),
  doc_type: z.string().min(1).max(50).optional(),
  /** Only documents whose main language is this one. Ignored before contract 3.2. */
  language: Language.optional(),
  /** Only documents whose `source_path` starts with this. Ignored before contract 3.3. */
  source_path_prefix: z.string().min(1).max(MAX_SOURCE_PATH_CHARS).optional(),
  /** Only documents with these fields in their metadata. Ignored before contract 3.3. */
  metadata: MetadataFilter.optional(),
  /** Only documents modified, or created if never modified, at this time or later. */
  since: DateInput.optional(),
  /** Only documents modified, or created if never modified, at this time or earlier. */
  until: DateInput.optional(),
};

/** Body of `POST /api/v1/documents/query`. Since contract 3.3. */
export const DocumentListRequest = z.object({
  ...documentFilters,
  /** Only documents with all of these words in their title, or since contract 3.6 file name, as starts of words. */
  title: z.string().max(MAX_TITLE_CHARS).regex(/\S/, "must not be empty").optional(),
  /** `used`: by how often searches and reads have returned the document. */
  sort: z.enum(DOCUMENT_SORTS).default("updated"),
  /** Default: `asc` for `title`, otherwise `desc` (most recent, largest and most used first). */
  order: z.enum(["asc", "desc"]).optional(),
  /** Counts documents by key instead of listing them: largest groups first, `day` newest first. */
  group_by: z.enum(DOCUMENT_GROUPS).optional(),
  limit: z.int().positive().max(MAX_PAGE).default(50),
  /** `next_cursor` of the previous response to the same request. */
  cursor: Cursor.optional(),
});
/** Body of `POST /api/v1/documents/query` before parsing. */
export type DocumentListRequest = z.input<typeof DocumentListRequest>;

/** Response of `POST /api/v1/documents/query`: `groups` with `group_by`, otherwise `documents`. */
export const DocumentList = z.looseObject({
  documents: z.array(DocumentSummary).optional(),
  /** A document counts in the group of each of its tags. The key is null for documents without a collection. */
  groups: z.array(z.looseObject({ key: z.string().nullable(), count: z.int().nonnegative() })).optional(),
  /** Number of matching documents on all pages. */
  total: z.int().nonnegative(),
  next_cursor: z.string().nullish(),
});
/** Inferred from {@linkcode DocumentList}. */
export type DocumentList = z.infer<typeof DocumentList>;

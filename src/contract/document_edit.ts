import * as z from "zod";
import { Document } from "./documents.ts";
import { SourcePath, Tags, Title, Version } from "./primitives.ts";
import { MAX_NOTE_CHARS, MAX_TITLE_CHARS } from "./rules/limits.ts";
import { isMetadataShallow, MAX_METADATA_LEVELS } from "./rules/metadata.ts";

/** Text of an edit. It may be blank, unlike that of a note. */
const EditText = z.string().max(MAX_NOTE_CHARS);

/**
 * Body of `PATCH /api/v1/documents/{id}`: changes of one document, made in this order in one transaction. The
 * text changes are for notes only, in terms of the text without front matter. Since contract 3.3.
 */
export const DocumentEdit = z.object({
  title: Title.optional(),
  /** Never `collection:` tags. */
  add_tags: Tags.optional(),
  /** Never `collection:` tags. */
  remove_tags: Tags.optional(),
  /** Null removes it. */
  source_path: SourcePath.nullable().optional(),
  /** Fields to set, of any JSON value; null removes a field. The other fields stay. */
  metadata: z.record(z.string().min(1).max(100), z.unknown()).refine(
    isMetadataShallow,
    `must have at most ${MAX_METADATA_LEVELS} levels of nesting`,
  ).optional(),
  /** Replaces a passage, which the note must contain exactly once. */
  replace: z.object({ old: EditText.min(1), new: EditText }).optional(),
  /**
   * Replaces the text under a Markdown heading, up to the next heading of the same or a higher level. The
   * heading stays, also if `text` repeats it. Must match one heading, given with or without its `#` marks, or
   * with its parents as in `Plan > Risks`.
   */
  section: z.object({ heading: z.string().min(1).max(MAX_TITLE_CHARS), text: EditText }).optional(),
  /** Text to add before the first line. */
  prepend: EditText.min(1).optional(),
  /** Text to add after the last line. */
  append: EditText.min(1).optional(),
});
/** Inferred from {@linkcode DocumentEdit}. */
export type DocumentEdit = z.infer<typeof DocumentEdit>;

/** Response of `PATCH /api/v1/documents/{id}`: the document without its chunks. */
export const EditedDocument = Document.extend({
  /** Whether the document is different now. An edit that changes nothing makes no version. */
  changed: z.boolean(),
  /** Version before the edit, which can be restored. */
  restorable_version: Version.nullish(),
  /** With changes of text: the changed lines with their neighbors. `line` is the first one's number, from 1. */
  excerpts: z.array(z.looseObject({ line: z.int().positive(), text: z.string() })).optional(),
});
/** Inferred from {@linkcode EditedDocument}. */
export type EditedDocument = z.infer<typeof EditedDocument>;

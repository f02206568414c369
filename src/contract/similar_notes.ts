import * as z from "zod";
import { Id, NoteText, Tag, Title } from "./primitives.ts";

/** Body of `POST /api/v1/documents/similar`: a note that may be stored already. Since contract 3.3. */
export const SimilarRequest = z.object({
  text: NoteText,
  title: Title.optional(),
  /** Only notes in this collection. Default: in none. */
  collection: Tag.optional(),
  /** A document to leave out. Notes with the same text are left out anyway. */
  exclude: Id.optional(),
  limit: z.int().min(1).max(10).optional(),
});
/** Inferred from {@linkcode SimilarRequest}. */
export type SimilarRequest = z.infer<typeof SimilarRequest>;

/** A note that says nearly the same. */
export const SimilarNote = z.looseObject({
  document_id: Id,
  title: z.string().nullable(),
  /** The sentence of it that is most like the new note. */
  sentence: z.string(),
  /** From 0 to 1. */
  score: z.number(),
});
/** Inferred from {@linkcode SimilarNote}. */
export type SimilarNote = z.infer<typeof SimilarNote>;

/** Response of `POST /api/v1/documents/similar`: at most `limit` notes, most similar first. */
export const SimilarNotes = z.looseObject({ similar: z.array(SimilarNote) });
/** Inferred from {@linkcode SimilarNotes}. */
export type SimilarNotes = z.infer<typeof SimilarNotes>;

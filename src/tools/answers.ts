import * as z from "zod";
import { splitTags } from "../collections/mod.ts";
import { type Chunk, ChunkPlace, type Job } from "../contract/mod.ts";
import { visible } from "./visible.ts";

/*
 * Shapes that several tools answer. What comes from the engine is loose: fields that an engine adds pass through.
 */

/** An id in an answer. The contract's `Id` without its bounds, which would be said again in every schema. */
export const AnswerId = z.union([z.number(), z.string()]);

/** What every document, result and job has after {@linkcode present}. */
const filed = { collection: z.string().nullable(), tags: z.array(z.string()) };

/** A document, with its chunks where they were asked for. */
export const DocumentAnswer = z.looseObject({ document_id: AnswerId, ...filed });

/** A passage that a search found. */
export const ResultAnswer = z.looseObject({
  chunk_id: AnswerId,
  document_id: AnswerId,
  index: z.number().optional(),
  ...filed,
  score: z.number(),
  text: z.string(),
});

/** An ingestion job. */
export const JobAnswer = z.looseObject({ job_id: AnswerId, status: z.string(), ...filed });

interface Tagged {
  readonly content_hash?: unknown;
  readonly tags?: readonly string[] | null | undefined;
}

/** `Omit` would lose the known fields of a type that has an index signature. */
type Presented<T> =
  & { [Name in keyof T as Name extends "tags" | "content_hash" ? never : Name]: T[Name] }
  & { collection: string | null; tags: string[] };

/**
 * What a model sees of a record that the engine answered: nothing that cannot be seen, `collection` beside `tags` that
 * name no collection, and no hash, which costs 40 tokens and which no tool takes.
 */
export function present<T extends Tagged>(record: T): Presented<T> {
  const { tags, content_hash: _, ...rest }: Tagged = visible(record);
  return { ...rest, ...splitTags(tags ?? []) } as Presented<T>;
}

/** Offsets in a text that no tool answers are of no use to a model. */
const OFFSETS = ["char_start", "char_end"];
const PLACES = Object.keys(ChunkPlace.shape);

/**
 * A chunk as a model sees it: nothing that cannot be seen, and only the places that mean something in its format, since the
 * nulls of the others are tokens for nothing.
 */
export function withPlace<T extends Partial<Chunk>>(chunk: T): T {
  const says = ([name, value]: [string, unknown]) =>
    !OFFSETS.includes(name) && !(PLACES.includes(name) && isEmpty(value));
  return visible(Object.fromEntries(Object.entries(chunk).filter(says)) as T);
}

/** A job without the fields that its status does not have yet, or never will. */
export function withoutNulls(job: Job): Job {
  return Object.fromEntries(Object.entries(job).filter(([, value]) => value !== null)) as Job;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

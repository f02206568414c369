import * as z from "zod";
import type { Id } from "../contract/mod.ts";
import { AnswerId, DocumentAnswer, present, withPlace } from "./answers.ts";
import { DocumentId, DocumentSourcePath } from "./arguments.ts";
import { defineTool, type ToolContext, ToolError } from "./define.ts";
import { linksTo } from "./resource_links.ts";

/** Chunks in an answer when the caller names no limit: about 6,500 tokens of text at the embedded engine's size. */
const DEFAULT_CHUNKS = 20;
/** The contract's most chunks in a page. */
const MAX_CHUNKS = 1000;

/** Which chunks are asked for. */
interface Page {
  readonly chunks: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Fetches a document by id, or the documents that came from a source path. */
export const kbGet = defineTool({
  name: "kb_get",
  title: "Get a document",
  icon: "M1 0h4l2 2v6H1z",
  description:
    `Fetches a document: details, and its text as chunks in reading order. Give exactly one of document_id and \
source_path (which answers documents: all that match, with chunks if it is one). While next_offset is there, pass it as \
offset for more. To read on around a search hit: its document_id, offset = index - 1 (at least 0).`,
  input: z.strictObject({
    document_id: DocumentId.optional(),
    source_path: DocumentSourcePath.optional().describe("Exact source_path, such as memory/feedback.md."),
    chunks: z.boolean().default(true).describe("false: details without the text."),
    offset: z.int().min(0).max(1_000_000_000).default(0).describe("First chunk, from 0."),
    limit: z.int().min(1).max(MAX_CHUNKS).default(DEFAULT_CHUNKS).describe("Most chunks."),
  }),
  output: DocumentAnswer.partial().extend({
    chunks: z.array(z.looseObject({ chunk_id: AnswerId, text: z.string() })).optional(),
    chunks_total: z.number().optional(),
    next_offset: z.number().optional(),
    documents: z.array(z.looseObject({})).optional().describe(
      "Matches of source_path.",
    ),
    total: z.number().optional(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "read",
  async run({ document_id, source_path, ...page }, context) {
    if (document_id !== undefined && source_path === undefined) {
      return await fetchDocument(document_id, page, context);
    }
    if (source_path === undefined || document_id !== undefined) {
      const given = source_path === undefined ? "neither" : "both";
      throw new ToolError(`Exactly one of document_id and source_path must be given, got ${given}.`);
    }
    const { documents, total } = await context.engine.documents({ source_path }, { signal: context.signal });
    const only = documents.length === 1 && page.chunks ? documents[0] : undefined;
    return {
      documents: only ? [await fetchDocument(only.document_id, page, context)] : documents.map(present),
      total: total ?? documents.length,
    };
  },
  content: ({ documents, ...one }) => linksTo(documents ?? [one]),
});

async function fetchDocument(id: Id, page: Page, { engine, signal }: ToolContext) {
  const { chunks, offset } = page;
  const document = await engine.document(id, chunks ? page : { chunks }, { signal });
  const { chunks: shown = [], chunks_total: total = shown.length, chunks_offset: _, ...details } = document;
  if (!chunks) return present(details);
  const next = offset + shown.length;
  return {
    ...present(details),
    chunks: shown.map(withPlace),
    chunks_total: total,
    ...(next < total && shown.length > 0 ? { next_offset: next } : {}),
  };
}

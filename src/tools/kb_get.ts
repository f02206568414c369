import * as z from "zod";
import type { Id } from "../contract/mod.ts";
import { DocumentId, DocumentSourcePath } from "./arguments.ts";
import { OutputId, present, presentChunk } from "./outputs.ts";
import { linksTo } from "./resource_links.ts";
import { defineTool, type ToolContext, ToolError } from "./tool.ts";

/** Default number of chunks: about 6,500 tokens of text from the embedded engine. */
const DEFAULT_CHUNKS = 20;
/** Maximum number of chunks: the contract's. */
const MAX_CHUNKS = 1000;

/** The requested chunks. */
interface ChunkSelection {
  readonly chunks: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Returns a document by id, or all documents of a source path. */
export const kbGet = defineTool({
  name: "kb_get",
  title: "Get a document",
  description:
    `Get a document: details, a note's front matter (metadata), and its text as chunks in reading order.

Use this tool when you need to:
- Read around a search hit: document_id, and offset = index - 1 (at least 0)
- Read a whole document: while there is a next_offset, pass it as offset
- Look up a source_path: returns documents, with chunks if it is one

Pass exactly one of document_id and source_path.`,
  input: z.strictObject({
    document_id: DocumentId.optional(),
    source_path: DocumentSourcePath.optional().describe("Exact source_path, such as memory/feedback.md."),
    chunks: z.boolean().default(true).describe("false: details without the text."),
    offset: z.int().min(0).max(1_000_000_000).default(0).describe("First chunk, from 0."),
    limit: z.int().min(1).max(MAX_CHUNKS).default(DEFAULT_CHUNKS).describe("Maximum chunks."),
  }),
  output: z.looseObject({
    document_id: OutputId.optional(),
    chunks: z.array(z.looseObject({ chunk_id: OutputId, text: z.string() })).optional(),
    chunks_total: z.number().optional(),
    next_offset: z.number().optional(),
    documents: z.array(z.looseObject({})).optional(),
    total: z.number().optional(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ document_id, source_path, ...selection }, context) {
    if (document_id !== undefined && source_path === undefined) {
      return await getDocument(document_id, selection, context);
    }
    if (source_path === undefined || document_id !== undefined) {
      const given = source_path === undefined ? "neither" : "both";
      throw new ToolError(`Exactly one of document_id and source_path must be given, got ${given}.`);
    }
    const { documents, total } = await context.engine.documents({ source_path }, { signal: context.signal });
    const only = documents.length === 1 && selection.chunks ? documents[0] : undefined;
    return {
      documents: only ? [await getDocument(only.document_id, selection, context)] : documents.map(present),
      total: total ?? documents.length,
    };
  },
  content: ({ documents, ...document }) => linksTo(documents ?? [document]),
});

async function getDocument(id: Id, selection: ChunkSelection, { engine, signal }: ToolContext) {
  const query = selection.chunks ? selection : { chunks: false };
  const document = await engine.document(id, query, { signal });
  const { chunks = [], chunks_total = chunks.length, chunks_offset: _, ...details } = document;
  if (!selection.chunks) return present(details);
  const next = selection.offset + chunks.length;
  return {
    ...present(details),
    chunks: chunks.map(presentChunk),
    chunks_total,
    ...(next < chunks_total && chunks.length > 0 ? { next_offset: next } : {}),
  };
}

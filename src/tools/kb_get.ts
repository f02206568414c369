import * as z from "zod";
import {
  type Document,
  type DocumentQuery,
  type DocumentSummary,
  type Id,
  MAX_BUDGET_TOKENS,
  MIN_BUDGET_TOKENS,
} from "../contract/mod.ts";
import { present, withoutEmpty, withVisibleText } from "../presentation/mod.ts";
import { estimateTokens } from "../text/mod.ts";
import { DocumentId, DocumentSourcePath, DocumentTitle } from "./arguments.ts";
import { findByTitle } from "./find_by_title.ts";
import { findByPath, syncFile } from "./source_file.ts";
import { hasUnknownSpace } from "./join_chunks.ts";
import { outlineOf } from "./outline.ts";
import { OutputId } from "./outputs.ts";
import { type ChunkRange, readPassages, startAround } from "./passages.ts";
import { linksTo } from "./resource_links.ts";
import { defineTool, type ToolContext, ToolError } from "./tool.ts";

/** Default number of chunks: about 6,000 tokens of text from the embedded engine. */
const DEFAULT_CHUNKS = 20;
/** Maximum number of chunks: the contract's. */
const MAX_CHUNKS = 1000;
/** Default of `max_tokens` with `around`. */
const DEFAULT_AROUND_TOKENS = 2_000;
/** Tokens below which a chunk is rare, to request enough chunks for a budget at once. */
const MIN_CHUNK_TOKENS = 16;
/** Estimated tokens of an output's fields after the details: `chunks`, `chunks_total`, `next_offset`. */
const FIELD_TOKENS = 30;
/** Minimum budget for text, however long the details are. */
const MIN_TEXT_TOKENS = 30;

/** The part of a document to read. */
interface Selection {
  readonly chunks: boolean;
  readonly outline?: boolean | undefined;
  readonly offset?: number | undefined;
  readonly around?: number | undefined;
  readonly limit?: number | undefined;
  readonly max_tokens?: number | undefined;
}

/** Returns a document by id, or the documents of a source path or title. */
export const kbGet = defineTool({
  name: "kb_get",
  title: "Get a document",
  description:
    `Get a document: details, a note's front matter (metadata), and its text as chunks in reading order.

Use this tool when you need to:
- Read around a search hit: document_id, and around = its index
- Read a whole document: while there is a next_offset, pass it as offset
- Find the right part of a long document: outline, then offset = an index
- Look up a source_path or title: returns documents, with chunks if it is one

Pass one of document_id, source_path and title. An item of chunks may span several, up to the next index.`,
  scope: "read",
  input: z.strictObject({
    document_id: DocumentId.optional(),
    source_path: DocumentSourcePath.optional().describe("Exact."),
    title: DocumentTitle.optional().describe("Title, file name, words."),
    chunks: z.boolean().default(true).describe("false: details without the text."),
    outline: z.boolean().optional().describe("Headings with chunk index instead of the text."),
    offset: z.number().min(0).max(1_000_000_000).optional().describe("First chunk, from 0."),
    around: z.int().min(0).max(1_000_000_000).optional().describe("This chunk with neighbours."),
    limit: z.int().min(1).max(MAX_CHUNKS).optional()
      .describe(`Maximum chunks. Default ${DEFAULT_CHUNKS} without max_tokens.`),
    max_tokens: z.int().min(MIN_BUDGET_TOKENS).max(MAX_BUDGET_TOKENS).optional()
      .describe("Budget for the answer."),
  }),
  output: z.looseObject({
    document_id: OutputId.optional(),
    chunks: z.array(z.looseObject({ index: z.int(), text: z.string() })).optional(),
    chunks_total: z.number().optional(),
    next_offset: z.number().optional(),
    documents: z.array(z.looseObject({})).optional(),
    total: z.number().optional(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ document_id, source_path, title, ...selection }, context) {
    checkArguments({ document_id, source_path, title }, selection);
    if (document_id !== undefined) return await getDocument(document_id, selection, context);
    const { documents, total } = title === undefined
      ? { documents: await findByPath(source_path ?? "", context), total: undefined }
      : await findByTitle(title, context);
    const only = documents.length === 1 && readsText(selection) ? documents[0] : undefined;
    return {
      documents: only
        ? [await getDocument(only.document_id, selection, context)]
        : documents.map(presentSummary),
      total: total ?? documents.length,
      ...(documents.length === 0 ? { hint: title === undefined ? NO_PATH : NO_TITLE } : {}),
    };
  },
  content: ({ documents, ...document }) => linksTo(documents ?? [document]),
});

const NO_PATH =
  "No document has exactly this source_path: title also finds file names, kb_list and kb_search take the start of a path.";
const NO_TITLE =
  "No title or file name has these words: try kb_search for the text, or kb_history for deleted documents.";

/** An outline takes the place of the text, also without chunks. */
function readsText({ chunks, outline }: Selection): boolean {
  return chunks || outline === true;
}

function checkArguments(names: Record<string, unknown>, { offset, around, outline }: Selection): void {
  const given = Object.keys(names).filter((name) => names[name] !== undefined);
  if (given.length !== 1) {
    const got = given.length === 0 ? "none" : given.join(" and ");
    throw new ToolError(`Exactly one of document_id, source_path and title must be given, got ${got}.`);
  }
  if (offset !== undefined && around !== undefined) {
    throw new ToolError("around and offset must not be given together: around reads the text on both sides.");
  }
  if (outline && around !== undefined) {
    throw new ToolError("around and outline must not be given together: outline returns no text.");
  }
}

/** Presents a document of a list: without the details that help neither to choose nor to change it. */
function presentSummary({ language: _, chunk_count: __, ...document }: DocumentSummary) {
  return present(document);
}

async function getDocument(id: Id, selection: Selection, context: ToolContext) {
  const { engine, signal } = context;
  if (!readsText(selection)) {
    const { chunks: _, ...document } = await readFresh(id, { chunks: false }, context);
    return present(document);
  }
  const { from, first, limit } = chunksToRequest(selection);
  // Later pages are of the text that the first one is of, as long as the engine has it.
  const document = selection.offset
    ? await engine.document(id, { offset: first, limit }, { signal })
    : await readFresh(id, { offset: first, limit }, context);
  const { chunks = [], chunks_total = first + chunks.length, chunks_offset: _, chunk_count: __, ...rest } =
    document;
  const isContinued = from > 0 && selection.around === undefined;
  const { document_id, title, version } = rest;
  const details = isContinued
    ? withoutEmpty(withVisibleText({ document_id, title, version }))
    : present(rest);
  const exact = selection.outline ? undefined : await exactText({ ...rest, chunks, first }, context);
  const range = { chunks, first, exact };
  const reading = { from, chunks_total, detailTokens: estimateTokens(JSON.stringify(details)) };
  return { ...details, ...(selection.outline ? outline : read)(range, selection, { ...reading, document }) };
}

/** Reads a document: the one of a file as the file is now. */
async function readFresh(id: Id, query: DocumentQuery, context: ToolContext): Promise<Document> {
  const { engine, signal } = context;
  const document = await engine.document(id, query, { signal });
  return await syncFile(document, context) ? await engine.document(id, query, { signal }) : document;
}

/**
 * Returns the text of a note if its chunks do not have all white space between them: joined, they are the text that an
 * edit changes. Undefined otherwise, also for an engine that does not return it.
 */
async function exactText(
  note: DocumentSummary & ChunkRange,
  { engine, signal }: ToolContext,
): Promise<string | undefined> {
  if (note.doc_type !== "note" || !hasUnknownSpace(note)) return undefined;
  const { text, version } = await engine.document(note.document_id, { chunks: false, text: true }, {
    signal,
  });
  return version === note.version ? text ?? undefined : undefined;
}

/** A document whose chunks are being read. */
interface Reading {
  readonly document: Document;
  readonly from: number;
  readonly chunks_total: number;
  readonly detailTokens: number;
}

/** Returns the chunks to request: one more before, since it shows which text overlaps. */
function chunksToRequest({ outline, offset = 0, around, limit, max_tokens }: Selection) {
  const budget = max_tokens ?? (around === undefined ? undefined : DEFAULT_AROUND_TOKENS);
  const forBudget = budget === undefined ? DEFAULT_CHUNKS : Math.ceil(budget / MIN_CHUNK_TOKENS);
  const count = outline ? MAX_CHUNKS : Math.min(limit ?? forBudget, MAX_CHUNKS);
  if (around !== undefined) {
    const before = Math.min(around, Math.floor((MAX_CHUNKS - 1) / 2), count);
    return { from: around, first: around - before, limit: Math.min(MAX_CHUNKS, before + 1 + count) };
  }
  const before = offset >= 1 && !outline ? 1 : 0;
  return {
    from: offset,
    first: Math.floor(offset) - before,
    limit: Math.min(MAX_CHUNKS, count + before),
  };
}

function outline(range: ChunkRange, { max_tokens }: Selection, { document, chunks_total }: Reading) {
  const next = range.first + range.chunks.length;
  return {
    ...outlineOf(range, { docType: document.doc_type, maxTokens: max_tokens }),
    chunks_total,
    ...(next < chunks_total && range.chunks.length > 0 ? { next_offset: next } : {}),
  };
}

function read(
  range: ChunkRange,
  { around, limit, max_tokens }: Selection,
  { from, chunks_total, detailTokens }: Reading,
) {
  const budget = max_tokens ?? (around === undefined ? undefined : DEFAULT_AROUND_TOKENS);
  const maxTokens = budget === undefined
    ? Infinity
    : Math.max(MIN_TEXT_TOKENS, budget - detailTokens - FIELD_TOKENS);
  const page = around === undefined
    ? readPassages(range, {
      from,
      limit: limit ?? (budget === undefined ? DEFAULT_CHUNKS : MAX_CHUNKS),
      maxTokens,
    })
    : readAround(range, { around, limit, maxTokens, chunks_total });
  return {
    chunks: page.passages,
    chunks_total,
    ...(page.next < chunks_total && page.passages.length > 0 ? { next_offset: page.next } : {}),
  };
}

function readAround(
  range: ChunkRange,
  { around, limit, maxTokens, chunks_total }: {
    readonly around: number;
    readonly limit: number | undefined;
    readonly maxTokens: number;
    readonly chunks_total: number;
  },
) {
  if (around >= chunks_total) {
    throw new ToolError(`around must be below chunks_total, which is ${chunks_total}, got ${around}.`);
  }
  const start = limit === undefined
    ? startAround(range, around, maxTokens)
    : Math.max(range.first, around - Math.floor(limit / 2));
  // Without the chunk before the first one, so that its text is whole.
  const chunks = range.chunks.slice(start - range.first);
  return readPassages({ ...range, chunks, first: start }, {
    from: start,
    limit: limit ?? MAX_CHUNKS,
    maxTokens,
  });
}

import * as z from "zod";
import type { Document, Id } from "../contract/mod.ts";
import { visibleText } from "../text/mod.ts";
import {
  defineTool,
  DocumentId,
  DocumentSourcePath,
  DocumentTitle,
  findByPath,
  findByTitle,
  joinChunks,
  OutputId,
  present,
  syncFile,
  ToolError,
} from "../tools/mod.ts";
import { sectionOf, summaryOf } from "../vault/mod.ts";
import { READ_ONLY } from "./arguments.ts";
import type { SourceContext } from "./find_source.ts";
import { pathInside } from "./read_vault.ts";

/** Number of chunks in which the first paragraph is looked for. */
const SUMMARY_CHUNKS = 3;
/** Maximum number of documents in the output. */
const MAX_DOCUMENTS = 5;

/** Returns front matter and summary of a document, without its text. */
export const kbContext = defineTool({
  name: "kb_context",
  title: "Brief on a document",
  description:
    `Get the front matter (metadata) and a summary of a document: a field of the front matter, or its first \
paragraph. Costs a fraction of kb_get.

Use this tool when you need to:
- Decide which of several documents to read with kb_get

Pass one of document_id, source_path and title.`,
  scope: "read",
  engineVersion: "3.4.0",
  input: z.strictObject({
    document_id: DocumentId.optional(),
    source_path: DocumentSourcePath.optional().describe("Exact, or inside its source."),
    title: DocumentTitle.optional().describe("Title, file name, words."),
  }),
  output: z.looseObject({
    documents: z.array(z.looseObject({ document_id: OutputId, summary: z.string().optional() })),
    total: z.number().optional(),
  }),
  annotations: READ_ONLY,
  async run({ document_id, source_path, title }, context) {
    if ([document_id, source_path, title].filter((name) => name !== undefined).length !== 1) {
      throw new ToolError("Exactly one of document_id, source_path and title must be given.");
    }
    if (document_id !== undefined) return { documents: [await briefOf(document_id, context)] };
    const found = title === undefined
      ? await findByPath(source_path!, context)
      : (await findByTitle(title, context)).documents;
    if (found.length === 0) {
      throw new ToolError(
        `There is no document with this ${title === undefined ? "source_path" : "title"}: try kb_search.`,
      );
    }
    const shown = found.slice(0, MAX_DOCUMENTS);
    return {
      documents: await Promise.all(shown.map(({ document_id }) => briefOf(document_id, context))),
      ...(found.length > shown.length ? { total: found.length } : {}),
    };
  },
});

/** A document without its text, as {@linkcode briefOf} returns it. */
export interface Brief {
  readonly document_id: Id;
  readonly summary?: string;
  readonly section?: string;
  readonly chunks_total?: number;
  /** The other properties of the document. */
  readonly [field: string]: unknown;
}

/** Returns front matter and summary of a document, after its file has been checked. */
export async function briefOf(id: Id, context: SourceContext): Promise<Brief> {
  const document = await readStart(id, context);
  const { chunks = [], chunks_total, chunks_offset: _, chunk_count: __, language: ___, ...details } =
    document;
  const { source, metadata } = details;
  const section = source ? sectionOf(pathInside(document, source)) : "";
  const summary = visibleText(summaryOf(joinChunks(chunks), metadata ?? {}));
  return {
    ...present(details),
    ...(section === "" ? {} : { section: visibleText(section) }),
    ...(summary === "" ? {} : { summary }),
    ...(chunks_total === undefined ? {} : { chunks_total }),
  };
}

async function readStart(id: Id, context: SourceContext): Promise<Document> {
  const { engine, signal } = context;
  const range = { offset: 0, limit: SUMMARY_CHUNKS };
  const document = await engine.document(id, range, { signal });
  return await syncFile(document, context) ? await engine.document(id, range, { signal }) : document;
}

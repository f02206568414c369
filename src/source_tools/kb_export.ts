import * as z from "zod";
import { ifFound } from "../client/mod.ts";
import type { DocumentSummary, Source } from "../contract/mod.ts";
import { estimateTokens } from "../text/mod.ts";
import { CallerTags, defineTool, type ToolContext, ToolError } from "../tools/mod.ts";
import { MaxTokens, READ_ONLY, SectionArgument, SourceArgument } from "./arguments.ts";
import { documentsToExport, exportDocument, exportHeader } from "./export_source.ts";
import { findSource } from "./find_source.ts";
import { emptySection, sectionPrefix } from "./section.ts";

/** Default of `max_tokens`. */
const DEFAULT_TOKENS = 8_000;
/** Maximum of `max_tokens`: the result repeats the text, and clients read results of a few megabytes. */
const MAX_TOKENS = 200_000;
/** Share of a page that the table of contents may have. */
const HEADER_SHARE = 0.5;
/** Minimum number of characters of a document on a page, so that reading advances with any budget. */
const MIN_CHARS = 200;

/** Concatenates the documents of a source. */
export const kbExport = defineTool({
  name: "kb_export",
  title: "Export a source as one document",
  description:
    `Concatenate the documents of a source into one Markdown document, by path, with a table of contents.

Use this tool when you need to:
- Read or hand over a whole section at once
While there is a next_cursor, pass it as cursor and append the text.`,
  scope: "read",
  engineVersion: "3.4.0",
  input: z.strictObject({
    source: SourceArgument,
    section: SectionArgument,
    tags: CallerTags.optional().describe("Only with all of these."),
    max_tokens: MaxTokens.max(MAX_TOKENS).default(DEFAULT_TOKENS),
    cursor: z.string().min(1).max(300).optional().describe("next_cursor."),
  }),
  output: z.looseObject({
    text: z.string(),
    documents_total: z.number(),
    next_cursor: z.string().optional(),
  }),
  annotations: READ_ONLY,
  async run({ source: name, section, tags, max_tokens, cursor }, context) {
    const source = await findSource(name, context);
    const scope = { prefix: sectionPrefix(section, source), tags };
    const documents = await documentsToExport(source, scope, context);
    if (scope.prefix !== "" && tags === undefined && documents.length === 0) {
      throw new ToolError(emptySection(scope.prefix, source));
    }
    const start = cursor === undefined ? undefined : positionOf(cursor, documents);
    const header = start ? "" : exportHeader(source, documents);
    const { text, next } = await readPage(
      { source, documents, maxTokens: max_tokens, header },
      start ?? { index: 0, offset: 0 },
      context,
    );
    return {
      text,
      documents_total: documents.length,
      ...(next ? { next_cursor: `${documents[next.index]!.document_id}:${next.offset}` } : {}),
    };
  },
});

/** A position in an export: a character of a document. */
interface Position {
  readonly index: number;
  readonly offset: number;
}

/** @throws {ToolError} If the document is not in the export any more. */
function positionOf(cursor: string, documents: readonly DocumentSummary[]): Position {
  const [, id, offset] = /^(.+):(\d{1,9})$/.exec(cursor) ?? [];
  const index = documents.findIndex(({ document_id }) => String(document_id) === id);
  if (index >= 0) return { index, offset: Number(offset) };
  throw new ToolError(
    "cursor must be the next_cursor of an export with the same arguments; its document may have been removed. " +
      "Start again without cursor.",
  );
}

async function readPage(
  { source, documents, maxTokens, header }: {
    readonly source: Source;
    readonly documents: readonly DocumentSummary[];
    readonly maxTokens: number;
    readonly header: string;
  },
  { index, offset }: Position,
  context: ToolContext,
): Promise<{ text: string; next?: Position }> {
  let text = cutLines(header, maxTokens * HEADER_SHARE);
  let left = maxTokens - tokensOf(text);
  for (let at = index, from = offset; at < documents.length; at++, from = 0) {
    context.signal.throwIfAborted();
    const rest = (await textOf(documents[at]!, source, context)).slice(from);
    const tokens = tokensOf(rest);
    if (tokens > left) {
      const part = left < maxTokens / 20 && text !== "" ? "" : cutText(rest, left);
      return { text: (text + part).toWellFormed(), next: { index: at, offset: from + part.length } };
    }
    text += rest;
    left -= tokens;
  }
  return { text };
}

async function textOf(document: DocumentSummary, source: Source, context: ToolContext): Promise<string> {
  return await ifFound(exportDocument(document, source, context)) ?? "";
}

/** Estimates the tokens of a text in the JSON of an output. */
function tokensOf(text: string): number {
  return estimateTokens(JSON.stringify(text));
}

/** Returns the first lines that fit into a budget, and says how many are missing. */
function cutLines(text: string, maxTokens: number): string {
  if (tokensOf(text) <= maxTokens) return text;
  const lines = text.split("\n");
  let count = lines.length;
  while (count > 1 && tokensOf(lines.slice(0, count).join("\n")) > maxTokens) {
    count = Math.floor(count * 0.7);
  }
  return `${lines.slice(0, count).join("\n")}\n- and ${lines.length - count - 1} more\n`;
}

/** Returns the start of a text that fits into a budget, up to the end of a line or word. */
function cutText(text: string, maxTokens: number): string {
  let end = text.length;
  while (end > MIN_CHARS && tokensOf(text.slice(0, end)) > maxTokens) end = Math.floor(end * 0.8);
  const head = text.slice(0, Math.max(end, Math.min(MIN_CHARS, text.length)));
  const boundary = Math.max(head.lastIndexOf("\n"), head.lastIndexOf(" ")) + 1;
  return boundary > head.length / 2 ? head.slice(0, boundary) : head.replace(/[\ud800-\udbff]$/, "");
}

import type { Document, DocumentSummary, Source } from "../contract/mod.ts";
import { splitTags } from "../collections/mod.ts";
import { oneLine, visibleText } from "../text/mod.ts";
import { joinChunks } from "../tools/mod.ts";
import type { SourceContext } from "./find_source.ts";
import { listAll, pathInside } from "./read_vault.ts";

/** Number of chunks per request. */
const CHUNKS = 1_000;
/** Maximum number of entries in a table of contents. */
const MAX_ENTRIES = 1_000;

/** Options of {@linkcode documentsToExport}. */
export interface ExportScope {
  /** Start of the paths inside the source. */
  readonly prefix?: string | undefined;
  /** Only documents with all of these tags. */
  readonly tags?: readonly string[] | undefined;
}

/** Returns the documents of a source in the order of an export: by path. */
export async function documentsToExport(
  source: Source,
  { prefix = "", tags = [] }: ExportScope,
  context: SourceContext,
): Promise<DocumentSummary[]> {
  const documents = await listAll(source, context);
  return documents
    .filter((document) =>
      pathInside(document, source.name).startsWith(prefix) && tags.every((tag) => document.tags.includes(tag))
    )
    .toSorted((a, b) => compare(a.source_path ?? "", b.source_path ?? ""));
}

/** Returns the start of an export: its title and the table of contents. */
export function exportHeader(source: Source, documents: readonly DocumentSummary[]): string {
  const entries = documents.slice(0, MAX_ENTRIES).map((document) => {
    const path = oneLine(pathInside(document, source.name), 500);
    const title = oneLine(document.title ?? "", 200);
    return title === "" ? `- ${path}` : `- ${title} (${path})`;
  });
  if (documents.length > MAX_ENTRIES) entries.push(`- and ${documents.length - MAX_ENTRIES} more`);
  const description = source.description ? `${oneLine(source.description)}\n\n` : "";
  return `# ${source.name}\n\n${description}${entries.join("\n")}\n`;
}

/** Returns a document as a part of an export, which starts with a rule and its path. */
export async function exportDocument(
  summary: DocumentSummary,
  source: Source,
  context: SourceContext,
): Promise<string> {
  const document = await readWhole(summary, context);
  const text = visibleText(joinChunks(document.chunks ?? [])).trim();
  const path = oneLine(pathInside(document, source.name), 500);
  const title = oneLine(document.title || path);
  const { tags } = splitTags(document.tags);
  const details = [`Path: ${path}`, ...(tags.length > 0 ? [`Tags: ${oneLine(tags.join(", "))}`] : [])];
  const heading = /^(?:#{1,6}[ \t]+(.{1,1000})|(.{1,1000})\n(?:=+|-+))[ \t]*(?:\n|$)/.exec(text);
  const isTitle = heading !== null && oneLine(heading[1] ?? heading[2] ?? "") === title;
  const body = isTitle ? text.slice(heading[0].length).trim() : text;
  return `\n---\n\n# ${title}\n\n${details.join(" · ")}\n\n${body}\n`;
}

async function readWhole(
  { document_id }: DocumentSummary,
  { engine, signal }: SourceContext,
): Promise<Document> {
  const document = await engine.document(document_id, { offset: 0, limit: CHUNKS }, { signal });
  const chunks = [...document.chunks ?? []];
  while (chunks.length < (document.chunks_total ?? 0)) {
    const next = await engine.document(document_id, { offset: chunks.length, limit: CHUNKS }, { signal });
    // It was replaced meanwhile.
    if (!next.chunks || next.chunks.length === 0 || next.version !== document.version) break;
    chunks.push(...next.chunks);
  }
  return { ...document, chunks };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

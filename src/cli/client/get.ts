import { ifFound } from "../../client/mod.ts";
import { ConfigError } from "../../config/mod.ts";
import type { Document, DocumentQuery, DocumentSummary, Id } from "../../contract/mod.ts";
import { splitTags } from "../../collections/mod.ts";
import { oneLine, quoteText } from "../../text/mod.ts";
import { findByPath, findByTitle, joinChunks, outlineOf } from "../../tools/mod.ts";
import { ExitError } from "../exit_status.ts";
import { counted } from "../format.ts";
import type { ClientContext } from "./client_context.ts";
import { documentColumns, documentLabel, minute } from "./document_table.ts";
import { parseId } from "./ids.ts";
import type { Output } from "./output.ts";
import { table } from "./table.ts";

/** Options of `kb-mcp get`, as the parser returns them. */
export interface GetOptions {
  readonly outline?: boolean;
  readonly around?: number;
  readonly offset?: number;
  readonly limit?: number;
  /** A former version instead. */
  readonly revision?: number;
  /** Whether to print the text alone. */
  readonly raw?: boolean;
  /** Whether to print no text. */
  readonly details?: boolean;
}

/** Number of chunks on each side with `--around`. */
const NEIGHBOURS = 2;

/**
 * Implements `kb-mcp get`: a document by id, path or title.
 *
 * @throws {ExitError} If there is none, or several have the title.
 */
export async function get(name: string, options: GetOptions, context: ClientContext): Promise<void> {
  checkOptions(options);
  const { client, output, signal } = context;
  if (options.revision !== undefined) await client.requireVersion("--revision", { signal });
  const id = await findDocument(name, context);
  const read = await client.document(id, query(options), { signal });
  if (options.outline) return printOutline(read, output);
  const { chunks, ...document } = read;
  const { chunks_offset = 0, chunks_total = 0 } = read;
  const asked = options.around ?? options.offset ?? 0;
  if (chunks && asked > 0 && asked >= chunks_total) {
    output.error(
      `There is no chunk ${asked}: the document has ${counted(chunks_total, "chunk")}, numbered from 0`,
    );
  }
  if (output.isJson && !options.raw) return output.json({ ...document, ...(chunks && { chunks }) });
  if (options.raw) return output.raw(document.text ?? joinChunks(chunks ?? []));
  output.lines(...details(read, output), "");
  if (chunks) output.text(joinChunks(chunks));
  const next = chunks_offset + (chunks?.length ?? 0);
  if (chunks?.length && (chunks_offset > 0 || next < chunks_total)) {
    const range = `Chunks ${chunks_offset} to ${next - 1} of ${chunks_total}`;
    output.lines(
      "",
      output.colors.dim(next < chunks_total ? `${range}. More: --offset ${next}` : `${range}.`),
    );
  }
}

function checkOptions({ outline, around, offset, raw, details }: GetOptions): void {
  if (around !== undefined && offset !== undefined) {
    throw new ConfigError(
      "--around and --offset must not be given together: --around reads the text on both sides",
    );
  }
  if (Number(outline ?? false) + Number(raw ?? false) + Number(details ?? false) > 1) {
    throw new ConfigError("Only one of --outline, --raw and --details can be given");
  }
}

function query({ outline, around, offset, limit, revision, details, raw }: GetOptions): DocumentQuery {
  const version = revision === undefined ? {} : { version: revision };
  if (details) return { chunks: false, ...version };
  if (outline) return version;
  if (around !== undefined) {
    const first = Math.max(0, around - NEIGHBOURS);
    return { offset: first, limit: around - first + 1 + NEIGHBOURS, ...version };
  }
  const isWhole = offset === undefined && limit === undefined;
  return {
    // Exact, unlike joined chunks: it may be edited and stored again.
    ...(raw && isWhole ? { text: true } : {}),
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit }),
    ...version,
  };
}

/**
 * Returns the id of a document that is named by an integer id, its path (also inside a source), another id, its title, or its
 * file name, in this order.
 *
 * @throws {ExitError} If there is none, or several have the path or title.
 * @throws {ConfigError} For an empty name.
 */
export async function findDocument(name: string, context: ClientContext): Promise<Id> {
  if (name.trim() === "") throw new ConfigError("DOCUMENT must not be empty: give an id, path or title");
  const id = parseId(name);
  if (typeof id === "number") return id;
  const { client, output, signal } = context;
  const [atPath, ...others] = await findByPath(name, { engine: client, signal });
  if (atPath && others.length === 0) return atPath.document_id;
  if (atPath) {
    const documents = [atPath, ...others];
    throw new ExitError(1, ambiguous(name, documents, { total: documents.length, output }));
  }
  if (/^[\w-]+$/.test(name) && await exists(id, context)) return id;
  const { documents, total } = await findByTitle(name, { engine: client, signal });
  const [only] = documents;
  if (only && documents.length === 1) return only.document_id;
  if (only) throw new ExitError(1, ambiguous(name, documents, { total, output }));
  throw new ExitError(
    1,
    `No document has the id, path, title or file name ${quoteText(name)}: see kb-mcp list, or kb-mcp search`,
  );
}

/** Whether there is a document with an id that an engine of another make may have, such as a UUID. */
async function exists(id: Id, { client, signal }: ClientContext): Promise<boolean> {
  return await ifFound(client.document(id, { chunks: false }, { signal })) !== undefined;
}

function ambiguous(
  name: string,
  documents: readonly DocumentSummary[],
  { total, output }: { total: number; output: Output },
): string {
  const lines = table(documents, documentColumns, output);
  return `${total} documents have the name ${quoteText(name)}: name one by its id\n${lines.join("\n")}`;
}

/** Returns the fields of a document for people. */
function details(document: DocumentSummary & Pick<Document, "metadata">, { colors }: Output): string[] {
  const { document_id, doc_type, tags, source_path, created_at, updated_at, version, metadata, warning } =
    document;
  const { collection, tags: others } = splitTags(tags);
  const fields: [name: string, value: string | null | undefined][] = [
    ["type", doc_type],
    ["collection", collection],
    ["tags", others.join(", ")],
    ["path", source_path],
    ["created", minute(created_at)],
    ["changed", minute(updated_at)],
    ["version", version?.toString()],
    ["warning", warning],
    ...Object.entries(metadata ?? {}).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  ];
  return [
    `${colors.cyan(String(document_id))}  ${colors.bold(documentLabel(document))}`,
    ...fields.flatMap(([name, value]) =>
      value ? [`${colors.dim(`${oneLine(name)}:`)} ${oneLine(value)}`] : []
    ),
  ];
}

function printOutline({ chunks = [], ...document }: Document, output: Output): void {
  const { outline } = outlineOf({ chunks, first: 0 }, { docType: document.doc_type, maxTokens: Infinity });
  if (output.isJson) return output.json({ ...document, outline });
  output.lines(output.colors.bold(documentLabel(document)));
  for (const { index, heading, starts, level = 1, page } of outline) {
    const place = page === undefined ? `--around ${index}` : `page ${page}, --around ${index}`;
    output.lines(`${"  ".repeat(level)}${oneLine(heading ?? starts ?? "")}  ${output.colors.dim(place)}`);
  }
}

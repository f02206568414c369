import { join } from "node:path";
import * as z from "zod";
import { IMPORTED_TYPES, type ImportedDocument } from "../../contract/mod.ts";
import { FolderError, openInside, walkFolder } from "../../folder/mod.ts";
import {
  entryDocument,
  isEntry,
  MANIFEST,
  type ManifestEntry,
  ManifestError,
  readManifest,
} from "../export/manifest.ts";
import { parseMarkdown, textOf } from "../export/markdown_file.ts";
import { NO_COLLECTION } from "../export/file_names.ts";
import { ImportError, type ImportItem } from "../import_items.ts";
import { readUtf8 } from "../input.ts";
import { withCollection } from "../portable_document.ts";
import { sha256Of } from "../sha256.ts";
import { toTime } from "../times.ts";

/** Front matter of a file that a person may have written. Other fields are metadata. */
const Fields = z.looseObject({
  id: z.unknown().optional(),
  title: z.union([z.string(), z.number()]).transform(String).nullish(),
  kind: z.enum(IMPORTED_TYPES).nullish().catch(undefined),
  collection: z.string().nullish(),
  tags: z.array(z.union([z.string(), z.number()]).transform(String)).nullish(),
  source_path: z.string().nullish(),
  created_at: z.unknown().optional(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

/**
 * Reads an export. A file that has not changed becomes exactly the document that was exported; an edited file becomes
 * the document with the edits; a file that was added becomes a new document. Documents come in the order of their ids,
 * so that an empty knowledge base can give them the same ones.
 *
 * @param root Folder of the export.
 */
export async function* readExport(root: string): AsyncGenerator<ImportItem> {
  const entries = await readEntries(root);
  const missing = new Map<number, ManifestEntry>();
  const known = new Set<string>();
  for (const entry of entries) {
    known.add(entry.file);
    const file = await readFile(root, entry.file);
    if (typeof file === "string") yield await fromEntry(entry, file);
    else if (file.code !== "not_found") yield { name: entry.file, error: file.message };
    else if (entry.document.document_id === undefined) {
      yield { name: entry.file, skipped: "its file was removed" };
    } else missing.set(entry.document.document_id, entry);
  }
  for await (const { path } of walkFolder(root, { ignoreFiles: false })) {
    if (known.has(path) || !/\.md$/i.test(path)) continue;
    const file = await readFile(root, path);
    yield typeof file === "string"
      ? await fromNewFile(path, file, missing)
      : { name: path, error: file.message };
  }
  for (const { file } of missing.values()) yield { name: file, skipped: "its file was removed" };
}

async function readEntries(root: string): Promise<ManifestEntry[]> {
  const entries: ManifestEntry[] = [];
  try {
    for await (const line of readManifest(join(root, MANIFEST))) if (isEntry(line)) entries.push(line);
  } catch (error) {
    if (error instanceof ManifestError) throw new ImportError(error.message, { cause: error });
    throw error;
  }
  const idOf = ({ document }: ManifestEntry) => document.document_id ?? Infinity;
  return entries.sort((a, b) => idOf(a) === idOf(b) ? 0 : idOf(a) - idOf(b));
}

/** Returns the content of a file, or why it cannot be read. */
async function readFile(root: string, path: string): Promise<string | FolderError> {
  try {
    await using file = await openInside(root, path);
    return await readUtf8(file.chunks());
  } catch (error) {
    if (error instanceof FolderError) return error;
    if (error instanceof TypeError) return new FolderError("unreadable", "The file must be UTF-8 text");
    throw error;
  }
}

async function fromEntry(entry: ManifestEntry, content: string): Promise<ImportItem> {
  const { file: name } = entry;
  const exact = sha256Of(content) === entry.sha256 ? content : withLineFeeds(content);
  if (sha256Of(exact) !== entry.sha256) return await fromEdited(entry, exact, name);
  const parsed = entryDocument(entry, textOf(exact));
  return parsed.success
    ? { name, document: parsed.data }
    : { name, error: `Its entry in ${MANIFEST} is damaged: ${z.prettifyError(parsed.error)}` };
}

async function fromEdited(entry: ManifestEntry, content: string, name: string): Promise<ImportItem> {
  const read = await readFields(content);
  if ("error" in read) return { name, error: read.error };
  const { fields, text } = read;
  const original = entryDocument(entry, text);
  const { document_id, doc_type, content_hash, created_at, version, source, metadata } = entry
    .document as Partial<
      z.output<typeof ImportedDocument>
    >;
  const isSameText = sha256Of(text) === entry.text_sha256;
  const same = isSameText && original.success ? original.data : undefined;
  const newMetadata = fields.metadata ?? (entry.has_metadata ? undefined : metadata);
  const document: ImportedDocument = {
    ...(document_id !== undefined && { document_id }),
    ...(fields.title && { title: fields.title }),
    doc_type: doc_type ?? "note",
    text,
    // An unchanged text keeps its chunks, such as the pages of a PDF.
    ...(same?.chunks && { chunks: same.chunks }),
    ...(same?.content_hash && { content_hash: same.content_hash, size_bytes: same.size_bytes }),
    ...(content_hash && { previous_hash: content_hash }),
    ...(fields.source_path && { source_path: fields.source_path }),
    ...(source && { source }),
    tags: withCollection(fields.tags ?? [], fields.collection ?? undefined),
    ...(newMetadata && { metadata: newMetadata }),
    ...(created_at && { created_at }),
    updated_at: new Date().toISOString(),
    version: (version ?? 1) + 1,
  };
  return { name, document };
}

async function fromNewFile(
  path: string,
  content: string,
  missing: Map<number, ManifestEntry>,
): Promise<ImportItem> {
  const read = await readFields(withLineFeeds(content));
  if ("error" in read) return { name: path, error: read.error };
  const { fields, text } = read;
  const id = Number(fields.id);
  const moved = missing.get(id);
  if (moved) {
    missing.delete(id);
    return { ...await fromEntry(moved, content), name: path };
  }
  const { title, kind, collection, tags, source_path, metadata, created_at, ...rest } = fields;
  const folder = path.includes("/") ? path.split("/")[0] : undefined;
  const createdAt = toTime(created_at);
  const others = Object.entries(rest).filter(([name]) => !KNOWN.has(name));
  const all = { ...Object.fromEntries(others), ...metadata };
  return {
    name: path,
    document: {
      ...(title && { title }),
      doc_type: kind ?? "markdown",
      text,
      source_path: source_path ?? path,
      tags: withCollection(tags ?? [], collection ?? (folder === NO_COLLECTION ? undefined : folder)),
      ...(Object.keys(all).length > 0 && { metadata: all }),
      ...(createdAt !== undefined && { created_at: createdAt }),
    },
  };
}

const KNOWN = new Set(["id", "source", "language", "version", "updated_at"]);

async function readFields(
  content: string,
): Promise<{ fields: z.output<typeof Fields>; text: string } | { error: string }> {
  try {
    const { fields, text } = await parseMarkdown(content);
    const parsed = Fields.safeParse(fields);
    if (!parsed.success) return { error: `The front matter is invalid: ${z.prettifyError(parsed.error)}` };
    return { fields: parsed.data, text };
  } catch (error) {
    if (error instanceof SyntaxError) return { error: error.message };
    throw error;
  }
}

/** Editors on Windows and Git may have changed the line ends. */
function withLineFeeds(content: string): string {
  return content.replaceAll("\r\n", "\n").replace(/^\ufeff/, "");
}

import { join } from "node:path";
import type { EngineClient } from "../../client/mod.ts";
import { collectionIn, plainTags, type PortableDocument } from "../portable_document.ts";
import { sha256Of } from "../sha256.ts";
import { createFile, ExportDirectory, ExportError, type FileChange, writeAll } from "./export_directory.ts";
import { FileNames } from "./file_names.ts";
import { type ExportFilters, listDocuments } from "./list_documents.ts";
import { DOCUMENTS_FILE, MANIFEST } from "./manifest.ts";
import { parseMarkdown, renderMarkdown } from "./markdown_file.ts";

/** Options of {@linkcode exportMarkdown} and {@linkcode exportJsonl}. */
export interface ExportOptions {
  readonly filters?: ExportFilters;
  /** Filters as the caller wrote them, by which another export recognizes its directory. @default {filters} */
  readonly selection?: object;
  /** Whether to overwrite files that were edited since the last export. @default {false} */
  readonly overwrite?: boolean;
  /** Called after each document. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** Result of an export. */
export interface ExportReport {
  /** Number of documents in the export. */
  documents: number;
  /** Number of files that were written. */
  written: number;
  /** Number of files that had the right content. */
  unchanged: number;
  /** Number of files that were removed, because their documents no longer exist. */
  removed: number;
  /** Files that were left as they are, and why. */
  readonly failures: { readonly file: string; readonly error: string }[];
}

/**
 * Writes each document as a Markdown file with front matter, and a manifest with everything that Markdown cannot hold.
 * Another export into the same directory updates it: files are replaced atomically, and those of deleted documents are
 * removed. Files that were edited since are left as they are.
 *
 * @param directory Created if missing.
 * @throws {ExportError} If it has files of others, or an export with other filters.
 * @throws {EngineError} If the engine fails. The same export again continues.
 */
export async function exportMarkdown(
  client: EngineClient,
  directory: string,
  options: ExportOptions = {},
): Promise<ExportReport> {
  const { filters = {}, selection = filters, overwrite = false, onProgress, signal } = options;
  using target = await ExportDirectory.open(directory, { filters: selection, overwrite });
  const report = emptyReport();
  const names = new FileNames();
  const written = join(directory, `${MANIFEST}.new`);
  {
    using manifest = await createFile(written);
    await writeLine(manifest, { format: "kb-mcp-export", version: 1, filters: selection });
    for await (const { document, language, total } of listDocuments(client, { filters, signal })) {
      const file = names.next({
        collection: collectionIn(document.tags),
        sourcePath: document.source_path,
        title: document.title ?? null,
      });
      const { content, hasMetadata } = renderMarkdown(document, { language });
      const bytes = new TextEncoder().encode(content);
      const change = await target.write(file, bytes, (edited) => isEqual(edited, document));
      count(report, file, change);
      const { text, ...rest } = document;
      await writeLine(manifest, {
        file,
        // The hash of an edited file is that of the last export, so that an import notices the edit.
        sha256: typeof change === "string" ? sha256Of(bytes) : target.writtenHash(file) ?? sha256Of(bytes),
        text_sha256: sha256Of(text),
        has_metadata: hasMetadata,
        document: rest,
      });
      report.documents++;
      onProgress?.(report.documents, total);
    }
    await manifest.sync();
  }
  for await (const [file, change] of target.removeOthers()) count(report, file, change);
  await target.complete(written);
  return report;
}

/**
 * Writes the documents to one file, `kb-documents.jsonl`, a line of JSON each.
 *
 * @param directory Created if missing. An earlier file is replaced.
 * @throws {ExportError} If the directory has other files.
 */
export async function exportJsonl(
  client: EngineClient,
  directory: string,
  options: ExportOptions = {},
): Promise<ExportReport> {
  const { filters = {}, onProgress, signal } = options;
  await Deno.mkdir(directory, { recursive: true });
  const written = `${DOCUMENTS_FILE}.new`;
  for await (const { name } of Deno.readDir(directory)) {
    if (name === DOCUMENTS_FILE || name === written) continue;
    throw new ExportError(
      `Cannot export into ${JSON.stringify(directory)}: it has other files, such as ${name}`,
    );
  }
  const report = emptyReport();
  {
    using file = await createFile(join(directory, written));
    for await (const { document, total } of listDocuments(client, { filters, signal })) {
      await writeLine(file, document);
      report.documents++;
      onProgress?.(report.documents, total);
    }
    await file.sync();
  }
  await Deno.rename(join(directory, written), join(directory, DOCUMENTS_FILE));
  report.written = 1;
  return report;
}

/** Whether an edited file equals the document, which has been updated by an import. */
async function isEqual(
  content: string,
  { text, title, tags, source_path }: PortableDocument,
): Promise<boolean> {
  try {
    const { fields, text: edited } = await parseMarkdown(content.replaceAll("\r\n", "\n"));
    const isSame = (field: string, value: unknown) =>
      fields[field] === undefined || JSON.stringify(fields[field]) === JSON.stringify(value);
    return edited.trimEnd() === text.trimEnd() && isSame("title", title) &&
      isSame("source_path", source_path) &&
      isSame("collection", collectionIn(tags)) && sorted(fields["tags"]) === sorted(plainTags(tags));
  } catch {
    return false;
  }
}

function sorted(tags: unknown): string {
  return JSON.stringify(Array.isArray(tags) ? tags.map(String).sort() : []);
}

function emptyReport(): ExportReport {
  return { documents: 0, written: 0, unchanged: 0, removed: 0, failures: [] };
}

function count(report: ExportReport, file: string, change: FileChange): void {
  if (typeof change === "string") report[change]++;
  else report.failures.push({ file, error: change.problem });
}

async function writeLine(file: Deno.FsFile, value: unknown): Promise<void> {
  await writeAll(file, new TextEncoder().encode(`${JSON.stringify(value)}\n`));
}

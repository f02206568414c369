/*
 * A vault of Obsidian: a folder of Markdown files with a folder `.obsidian`. See https://help.obsidian.md on properties,
 * tags, aliases, internal links and embedded files.
 */
import { basename, join } from "node:path";
import { MAX_TEXT_CHARS } from "../../contract/mod.ts";
import { isDocumentName } from "../../extraction/mod.ts";
import { FolderError, type FolderFile, openInside, walkFolder } from "../../folder/mod.ts";
import { documentFacts } from "../../vault/mod.ts";
import { fieldsOf, tagsOf, textOf, titleOf } from "../fields.ts";
import { type Destination, ImportError, type ImportItem } from "../import_items.ts";
import { type ImportInput, readUtf8 } from "../input.ts";
import { withCollection } from "../portable_document.ts";
import { parseNote } from "./markdown_note.ts";

/** Folders of templates that need no configuration. */
const TEMPLATE_FOLDERS = ["templates", "_templates"];

/**
 * Reads a vault. Tags of the front matter and in the text become tags, links stay as text, and attachments become
 * documents of their own. Hidden folders (`.obsidian`, `.trash`) and templates are left out.
 */
export async function* readObsidian(
  input: ImportInput,
  destination: Destination,
): AsyncGenerator<ImportItem> {
  if (input.type !== "folder") {
    throw new ImportError(
      `An Obsidian vault must be a folder${input.type === "zip" ? ": unpack the archive first" : ""}`,
    );
  }
  const root = input.path;
  const vault = basename(root);
  const templates = await templateFolders(root);
  const problems: ImportItem[] = [];
  const onProblem = ({ path, error }: { path: string; error: string }) =>
    problems.push({ name: path, error });
  for await (const file of walkFolder(root, { ignoreFiles: false, onProblem })) {
    const { path } = file;
    const folder = path.toLowerCase();
    if (templates.some((each) => folder.startsWith(`${each}/`))) yield { name: path, skipped: "templates" };
    else if (/\.md$/i.test(path)) yield await noteItem(root, file, { ...destination, vault });
    else if (isDocumentName(basename(path))) yield attachmentItem(root, file, { ...destination, vault });
    else {yield {
        name: path,
        skipped: `files of the type ${/\.[^./]+$/.exec(path)?.[0].toLowerCase() ?? "without extension"}`,
      };}
  }
  yield* problems;
}

interface VaultDestination extends Destination {
  /** Name of the vault, which starts the paths of its documents. */
  readonly vault: string;
}

async function noteItem(
  root: string,
  { path, mtime, size }: FolderFile,
  { vault, collection, tags }: VaultDestination,
): Promise<ImportItem> {
  if (size > 4 * MAX_TEXT_CHARS) return { name: path, error: "The note is too large" };
  const content = await readText(root, path);
  if (typeof content !== "string") return { name: path, error: content.error };
  const note = await parseNote(content);
  if (note.text.trim() === "") return { name: path, skipped: "empty notes" };
  const { inlineTags } = documentFacts(note.text);
  const hasMetadata = Object.keys(note.metadata).length > 0;
  return {
    name: path,
    document: {
      // Obsidian shows the name of the file as the title of a note.
      title: note.title ?? titleOf(basename(path).replace(/\.md$/i, "")) ?? path,
      doc_type: "markdown",
      text: note.text,
      source_path: `${vault}/${path}`,
      tags: withCollection(tagsOf([...tags, ...note.tags, ...inlineTags]), collection),
      ...(hasMetadata && { metadata: note.metadata }),
      created_at: note.createdAt ?? new Date(mtime).toISOString(),
      content_hash: note.hash,
      size_bytes: note.sizeBytes,
    },
  };
}

function attachmentItem(
  root: string,
  { path, size }: FolderFile,
  { vault, collection, tags }: VaultDestination,
): ImportItem {
  return {
    name: path,
    file: {
      filename: basename(path),
      size,
      sourcePath: `${vault}/${path}`,
      tags: withCollection(tagsOf(tags), collection),
      open: async () => {
        const file = await openInside(root, path);
        return ReadableStream.from(closing(file.chunks(), file));
      },
    },
  };
}

/** Copies chunks, which are valid until the next one only, and closes their file at the end. */
async function* closing(
  chunks: AsyncIterable<Uint8Array>,
  file: AsyncDisposable,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of chunks) yield chunk.slice();
  } finally {
    await file[Symbol.asyncDispose]();
  }
}

/** Reads a file as UTF-8, or returns why that is impossible. */
export async function readText(root: string, path: string): Promise<string | { readonly error: string }> {
  try {
    await using file = await openInside(root, path);
    return await readUtf8(file.chunks());
  } catch (error) {
    if (error instanceof FolderError) return { error: error.message };
    if (error instanceof TypeError) return { error: "The file must be UTF-8 text" };
    throw error;
  }
}

/** Returns the folders of templates in lower case: those of the core plugin, of Templater, and common names. */
async function templateFolders(root: string): Promise<string[]> {
  const settings = [
    ["templates.json", "folder"],
    ["plugins/templater-obsidian/data.json", "templates_folder"],
  ] as const;
  const folders = await Promise.all(settings.map(async ([file, field]) => {
    try {
      const text = await Deno.readTextFile(join(root, ".obsidian", file));
      return textOf(fieldsOf(JSON.parse(text))[field]);
    } catch {
      return undefined;
    }
  }));
  return [...TEMPLATE_FOLDERS, ...folders.filter((folder) => folder !== undefined)]
    .map((folder) => folder.toLowerCase().replace(/^\/+|\/+$/g, "")).filter((folder) => folder !== "");
}

/*
 * basic-memory (https://github.com/basicmachines-co/basic-memory): a folder of Markdown notes with observations
 * (`- [category] text #tag (context)`) and relations (`- type [[Target]]`), or its database `memory.db`.
 */
import { basename } from "node:path";
import { MAX_NOTE_CHARS } from "../../contract/mod.ts";
import { type FolderFile, walkFolder } from "../../folder/mod.ts";
import { fieldsOf, metadataOf, tagsOf, textOf, titleOf } from "../fields.ts";
import { type Destination, ImportError, type ImportItem } from "../import_items.ts";
import type { ImportInput } from "../input.ts";
import { withCollection } from "../portable_document.ts";
import { SqliteCopy } from "../sqlite_copy.ts";
import { toTime } from "../times.ts";
import { type MarkdownNote, parseNote } from "./markdown_note.ts";
import { readText } from "./obsidian.ts";

/** An observation, which may end with tags and a context. */
const OBSERVATION = /^\s*[-*] \[(?![ xX]\])[^\]\n]{1,100}\] (.*)$/gm;
const TAG = /(?<=\s)#([^\s#()]+)/g;

/** Reads the notes of basic-memory. Observations and relations stay in the text; tags of observations become tags. */
export function readBasicMemory(input: ImportInput, destination: Destination): AsyncGenerator<ImportItem> {
  if (input.type === "zip") throw new ImportError("A basic-memory project must be a folder or a database");
  return input.type === "folder"
    ? readFolder(input.path, destination)
    : readDatabase(input.path, destination);
}

async function* readFolder(root: string, destination: Destination): AsyncGenerator<ImportItem> {
  for await (const { path, mtime } of walkFolder(root, { ignoreFiles: false })) {
    if (!/\.md$/i.test(path)) {
      yield { name: path, skipped: "files that are not notes" };
      continue;
    }
    const content = await readText(root, path);
    if (typeof content !== "string") yield { name: path, error: content.error };
    else yield toItem(await parseNote(content), { path, mtime }, destination);
  }
}

function toItem(
  note: MarkdownNote,
  { path, mtime, updatedAt, createdAt }: Pick<FolderFile, "path"> & {
    readonly mtime?: number;
    readonly createdAt?: string | undefined;
    readonly updatedAt?: string | undefined;
  },
  { collection, tags }: Destination,
): ImportItem {
  if (note.text.trim() === "") return { name: path, skipped: "empty notes" };
  const observed = [...note.text.matchAll(OBSERVATION)].flatMap(([, text = ""]) =>
    [...text.matchAll(TAG)].map(([, tag = ""]) => tag)
  );
  const created = note.createdAt ?? createdAt ??
    (mtime === undefined ? undefined : new Date(mtime).toISOString());
  const metadata = metadataOf(note.metadata);
  return {
    name: path,
    document: {
      title: note.title ?? titleOf(basename(path).replace(/\.md$/i, "")) ?? path,
      doc_type: note.text.length <= MAX_NOTE_CHARS ? "note" : "markdown",
      text: note.text,
      source_path: `basic-memory/${path}`,
      tags: withCollection(tagsOf([...tags, ...note.tags, ...observed]), collection),
      ...(metadata && { metadata }),
      ...(created && { created_at: created }),
      ...(updatedAt && updatedAt !== created && { updated_at: updatedAt }),
      content_hash: note.hash,
      size_bytes: note.sizeBytes,
    },
  };
}

async function* readDatabase(path: string, destination: Destination): AsyncGenerator<ImportItem> {
  await using db = await SqliteCopy.open(path);
  const tables = db.tables();
  const entity = tables.get("entity");
  if (!entity?.has("permalink")) throw new ImportError("The database must have the tables of basic-memory");
  const hasContent = tables.get("note_content")?.has("markdown_content") ?? false;
  const content = hasContent
    ? "(SELECT markdown_content FROM note_content n WHERE n.entity_id = e.id)"
    : "NULL";
  const rows = db.rows(`SELECT e.*, ${content} AS markdown FROM entity e ORDER BY e.id`);
  for (const row of rows) {
    const { id, file_path, permalink, title } = row;
    const name = textOf(file_path) ?? `${textOf(permalink) ?? `entity ${id}`}.md`;
    const type = textOf(row["content_type"]) ?? "text/markdown";
    if (type !== "text/markdown") {
      yield { name, skipped: "files that are not notes" };
      continue;
    }
    const note = await parseNote(textOf(row["markdown"]) ?? rebuild(db, Number(id)));
    yield toItem(
      {
        ...note,
        title: note.title ?? titleOf(title),
        metadata: {
          ...metadataOf({
            type: row["note_type"] ?? row["entity_type"],
            permalink,
            ...json(row["entity_metadata"]),
          }),
          ...note.metadata,
        },
      },
      { path: name, createdAt: toTime(row["created_at"]), updatedAt: toTime(row["updated_at"]) },
      destination,
    );
  }
}

/** Writes the observations and relations of an entity, whose file is not in the database. */
function rebuild(db: SqliteCopy, id: number): string {
  const observations = db.rows("SELECT * FROM observation WHERE entity_id = ? ORDER BY id", id);
  const relations = db.rows(
    `SELECT r.*, t.title AS target FROM relation r LEFT JOIN entity t ON t.id = r.to_id
      WHERE r.from_id = ? ORDER BY r.id`,
    id,
  );
  const lines: string[] = [];
  for (const { category, content, context, tags } of observations) {
    const named = tagsOf(typeof tags === "string" ? list(tags) : []).filter((tag) =>
      !String(content).includes(`#${tag}`)
    );
    const words = [
      `- [${textOf(category) ?? "note"}] ${String(content ?? "")}`,
      ...named.map((tag) => `#${tag}`),
    ];
    lines.push([...words, ...(textOf(context) ? [`(${context})`] : [])].join(" "));
  }
  const links = [...relations].map(({ relation_type, target, to_name, context }) => {
    const link = `- ${textOf(relation_type) ?? "relates_to"} [[${textOf(target) ?? textOf(to_name) ?? ""}]]`;
    return textOf(context) ? `${link} (${context})` : link;
  });
  return [
    ...(lines.length > 0 ? ["## Observations", lines.join("\n")] : []),
    ...(links.length > 0 ? ["## Relations", links.join("\n")] : []),
  ].join("\n\n");
}

function list(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}

function json(text: unknown): Record<string, unknown> {
  return typeof text === "string" ? { ...fieldsOf(list(text)) } : {};
}

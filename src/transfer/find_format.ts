import { basename } from "node:path";
import { openInside, walkFolder } from "../folder/mod.ts";
import { DOCUMENTS_FILE, JOURNAL, MANIFEST } from "./export/manifest.ts";
import { fieldsOf } from "./fields.ts";
import { isConversationsFile } from "./formats/chatgpt.ts";
import { type FormatName, FORMATS } from "./formats/names.ts";
import { ImportError, type InputFile } from "./import_items.ts";
import { ImportInput } from "./input.ts";
import { jsonItems } from "./json_items.ts";
import { isSqlite, SqliteCopy } from "./sqlite_copy.ts";

/** Number of notes of a folder that are inspected. */
const MAX_NOTES = 40;
/** Number of bytes of a note that are inspected. */
const NOTE_BYTES = 4_096;
/** Number of bytes of a single file that are inspected. */
const HEAD_BYTES = 65_536;

/**
 * Finds out the format of an input from its files.
 *
 * @throws {ImportError} If it has no known format, or several. The message says what to do.
 */
export async function findFormat(path: string): Promise<FormatName> {
  const input = await ImportInput.open(path);
  const found = await candidates(input);
  const [only] = found;
  if (found.size === 1 && only) return only;
  const name = JSON.stringify(path);
  if (input.type === "zip" && found.size === 0) {
    throw new ImportError(
      `Cannot find out the format of ${name}: only exports of ChatGPT and Claude are read as archives. ` +
        "Unpack it, and import the folder",
    );
  }
  throw new ImportError(
    found.size === 0
      ? `Cannot find out the format of ${name}: name it with --format ${
        FORMATS.join("|")
      }, or add a folder of ` +
        "documents with kb-mcp add"
      : `${name} looks like ${[...found].join(" and ")}: name the format with --format ${
        [...found].join("|")
      }`,
  );
}

async function candidates(input: ImportInput): Promise<Set<FormatName>> {
  if (input.type === "zip") return await conversationFormats(input);
  if (input.type === "file") return await fileFormats(input);
  if (await input.has(MANIFEST) || await input.has(DOCUMENTS_FILE) || await input.has(JOURNAL)) {
    return new Set<FormatName>(["export"]);
  }
  const found = await conversationFormats(input);
  if (await input.has(".obsidian")) found.add("obsidian");
  if (await hasPermalinks(input.path)) found.add("basic-memory");
  return found;
}

async function fileFormats(input: ImportInput): Promise<Set<FormatName>> {
  if (isSqlite(await input.head(16))) return await databaseFormats(input.path);
  if (basename(input.path) === DOCUMENTS_FILE) return new Set(["export"]);
  const start = new TextDecoder().decode(await input.head(HEAD_BYTES)).trimStart();
  if (start.startsWith("[")) return await conversationFormats(input);
  if (/^\{\s*"(?:export_metadata|memories)"\s*:/.test(start)) return new Set(["mcp-memory-service"]);
  const [line = ""] = start.split("\n", 1);
  const { type, text } = fieldsOf(parse(line));
  if (type === "entity" || type === "relation") return new Set(["server-memory"]);
  // A line that is longer than the start.
  const isDocument = typeof text === "string" ||
    line.startsWith("{") && line === start && /"text"\s*:/.test(line);
  return new Set(isDocument ? ["jsonl"] : []);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function databaseFormats(path: string): Promise<Set<FormatName>> {
  await using db = await SqliteCopy.open(path);
  const tables = db.tables();
  const found = new Set<FormatName>();
  if (tables.get("memories")?.has("content_hash")) found.add("mcp-memory-service");
  if (tables.get("entity")?.has("permalink") && tables.has("observation")) found.add("basic-memory");
  return found;
}

/** Looks at the first conversation of each file with conversations. */
async function conversationFormats(input: ImportInput): Promise<Set<FormatName>> {
  const found = new Set<FormatName>();
  for await (const file of input.files((name) => input.type === "file" || isConversationsFile(name))) {
    const first = fieldsOf(await firstItem(file));
    if ("mapping" in first) found.add("chatgpt");
    if ("chat_messages" in first) found.add("claude");
    if (found.size > 0) break;
  }
  return found;
}

async function firstItem({ chunks }: InputFile): Promise<unknown> {
  for await (const item of jsonItems(chunks)) return item;
}

/** Whether most notes of a folder have a `permalink`, which basic-memory writes into every note. */
async function hasPermalinks(root: string): Promise<boolean> {
  let [notes, permalinks] = [0, 0];
  for await (const { path } of walkFolder(root, { ignoreFiles: false })) {
    if (!/\.md$/i.test(path)) continue;
    const start = await startOf(root, path);
    if (/^---\r?\n(?:.*\n)*?permalink:/.test(start)) permalinks++;
    if (++notes === MAX_NOTES) break;
  }
  return notes > 0 && permalinks > notes / 2;
}

async function startOf(root: string, path: string): Promise<string> {
  try {
    await using file = await openInside(root, path);
    for await (const chunk of file.chunks()) return new TextDecoder().decode(chunk.subarray(0, NOTE_BYTES));
  } catch {
    // Reported when it is imported.
  }
  return "";
}

import { type EngineClient, EngineError } from "../client/mod.ts";
import type { DocumentSummary, Id } from "../contract/mod.ts";
import type { ToolContext } from "./tool.ts";

/** Maximum time to wait for the text of a changed file, in seconds. A long synchronization may run before it. */
const WAIT_SECONDS = 3;
/** Maximum number of sources in which a path is looked up. */
const MAX_SOURCES = 20;

/** Names of folders that engines keep in sync, with their ids. A call that fails forgets them. */
const folders = new WeakMap<EngineClient, Promise<ReadonlyMap<string, Id>>>();

/**
 * Reads the file of a document again if it has changed since its last synchronization. Sends nothing for documents
 * without a source. Without the file's folder, the stored text remains.
 *
 * @returns Whether anything has changed.
 */
export async function syncFile(
  { source, source_path }: Pick<DocumentSummary, "source" | "source_path">,
  context: Pick<ToolContext, "engine" | "signal">,
): Promise<boolean> {
  if (!source || !source_path?.startsWith(`${source}/`)) return false;
  return await syncPath(source, source_path.slice(source.length + 1), context);
}

/**
 * Finds documents by source path: at exactly this path, or at this path inside a source. A file that is not stored yet
 * is read first.
 */
export async function findByPath(
  path: string,
  context: Pick<ToolContext, "engine" | "signal">,
): Promise<DocumentSummary[]> {
  const { engine, signal } = context;
  const atPath = async (source_path: string) =>
    (await engine.documents({ source_path }, { signal })).documents;
  const documents = await atPath(path);
  if (documents.length > 0) return documents;
  const names = [...(await folderIds(context)).keys()];
  const slash = path.indexOf("/");
  const named = names.find((name) => name === path.slice(0, slash));
  if (named !== undefined && await syncPath(named, path.slice(slash + 1), context)) return await atPath(path);
  const inside = await Promise.all(names.slice(0, MAX_SOURCES).map((name) => atPath(`${name}/${path}`)));
  return inside.flat();
}

async function syncPath(
  source: string,
  path: string,
  context: Pick<ToolContext, "engine" | "signal">,
): Promise<boolean> {
  const { engine, signal } = context;
  const id = (await folderIds(context)).get(source);
  if (id === undefined) return false;
  try {
    const { last_sync } = await engine.syncSource(id, { path, wait_seconds: WAIT_SECONDS }, { signal });
    if (!last_sync) return false;
    const { created, updated, renamed, deleted } = last_sync;
    return created + updated + renamed + deleted > 0;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === "cancelled") throw error;
    // The source may have been removed, or a path may be none that a source can have.
    folders.delete(engine);
    return false;
  }
}

/** Returns the ids of folders by name; none before contract 3.4. Websites are not read again for each call. */
async function folderIds(
  { engine, signal }: Pick<ToolContext, "engine" | "signal">,
): Promise<ReadonlyMap<string, Id>> {
  const known = folders.get(engine);
  if (known) return await known;
  const listed = listFolders({ engine, signal });
  folders.set(engine, listed);
  try {
    const ids = await listed;
    if (ids.size === 0) folders.delete(engine);
    return ids;
  } catch (error) {
    folders.delete(engine);
    if (error instanceof EngineError && error.code !== "cancelled") return new Map();
    throw error;
  }
}

async function listFolders(
  { engine, signal }: Pick<ToolContext, "engine" | "signal">,
): Promise<ReadonlyMap<string, Id>> {
  const sources = await engine.sources({ signal });
  return new Map(
    sources.filter(({ type }) => type === "folder").map(({ name, source_id }) => [name, source_id]),
  );
}

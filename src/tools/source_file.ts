import { type EngineClient, EngineError } from "../client/mod.ts";
import type { DocumentSummary, Source } from "../contract/mod.ts";
import type { ToolContext } from "./tool.ts";

/** Maximum time to wait for the text of a changed file, in seconds. A long synchronization may run before it. */
const WAIT_SECONDS = 3;
/** Maximum number of sources in which a path is looked up. */
const MAX_SOURCES = 20;

/** The sources of engines by name. A source that is not in it, or is there no more, is listed again. */
const known = new WeakMap<EngineClient, ReadonlyMap<string, Source>>();

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
  const names = [...(await listSources(context)).keys()];
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
  const cached = known.get(engine)?.get(source);
  const found = cached ?? (await listSources(context)).get(source);
  // Websites are not fetched again for each call.
  if (found?.type !== "folder") return false;
  try {
    const request = { path, wait_seconds: WAIT_SECONDS };
    const { last_sync } = await engine.syncSource(found.source_id, request, { signal });
    if (!last_sync) return false;
    const { created, updated, renamed, deleted } = last_sync;
    return created + updated + renamed + deleted > 0;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === "cancelled") throw error;
    known.delete(engine);
    // The source was removed, and maybe added again with another id.
    return error.code === "not_found" && cached !== undefined && await syncPath(source, path, context);
  }
}

/** Returns the sources by name; none before contract 3.4. */
async function listSources(
  { engine, signal }: Pick<ToolContext, "engine" | "signal">,
): Promise<ReadonlyMap<string, Source>> {
  try {
    const sources = await engine.sources({ signal });
    const byName = new Map(sources.map((source) => [source.name, source]));
    known.set(engine, byName);
    return byName;
  } catch (error) {
    if (error instanceof EngineError && error.code !== "cancelled") return new Map();
    throw error;
  }
}

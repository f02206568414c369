import { basename, resolve } from "node:path";
import { delay } from "../../async/mod.ts";
import { ConfigError } from "../../config/mod.ts";
import { RelativePath, type Source, SourceName, type SyncReport } from "../../contract/mod.ts";
import { oneLine } from "../../text/mod.ts";
import { EXIT_PARTLY, ExitError } from "../exit_status.ts";
import { counted } from "../format.ts";
import { ACTOR, type ClientContext } from "./client_context.ts";
import { minute } from "./document_table.ts";
import { splitField } from "./filters.ts";
import { type Column, table } from "./table.ts";

/** Options of `kb-mcp source add`, as the parser returns them. */
export interface AddSourceOptions {
  readonly name?: string;
  readonly watch?: boolean;
  readonly writable?: boolean;
  readonly description?: string;
  readonly collection?: string;
  readonly tags?: readonly string[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly section?: readonly string[];
}

/** Options of `kb-mcp source sync`. */
export interface SyncOptions {
  readonly retry?: boolean;
}

/** Options of `kb-mcp source remove`. */
export interface RemoveSourceOptions {
  readonly keepDocuments?: boolean;
}

/** Time that a request waits for the end of a synchronization, in seconds. */
const WAIT_SECONDS = 10;
/** Time between two requests for the state of a synchronization, in milliseconds. */
const POLL_MS = 300;
const NO_SOURCES = "There are no sources: kb-mcp source add DIR";

/**
 * Implements `kb-mcp source add`, and waits for the first synchronization.
 *
 * @returns The exit status.
 * @throws {ConfigError} For a name or section that is not valid.
 */
export async function addSource(
  dir: string,
  options: AddSourceOptions,
  context: ClientContext,
): Promise<number> {
  const { client, signal } = context;
  const { name = nameOf(dir), section = [], tags, include, exclude, ...fields } = options;
  const added = await client.addSource({
    name: checkName(name),
    path: resolve(dir),
    ...pick(fields, ["description", "collection", "watch", "writable"]),
    tags: [...tags ?? []],
    include: [...include ?? []],
    exclude: [...exclude ?? []],
    sections: Object.fromEntries(section.map((each) => splitField("--section", each))),
  }, { actor: ACTOR, signal });
  return printReport(await synchronized(added, context), context);
}

/** Implements `kb-mcp source list`. */
export async function listSources({ client, output, signal }: ClientContext): Promise<void> {
  const sources = await client.sources({ signal });
  if (output.isJson) return output.json({ sources });
  if (sources.length === 0) return output.lines(NO_SOURCES);
  output.lines(...table(sources, COLUMNS, output));
  for (const { name, last_sync: report } of sources) {
    if (report?.error) output.lines("", `${oneLine(name)}: ${oneLine(report.error)}`);
    const failures = report?.failures ?? [];
    if (failures.length > 0) output.lines("", `${oneLine(name)}:`, ...failures.map(describeFailure));
  }
}

/**
 * Implements `kb-mcp source sync`, and waits for the end. Without a name, synchronizes all sources, one after the other;
 * with JSON, prints `sources`, as `kb-mcp source list` does.
 *
 * @returns The exit status; of several sources, the status of a failure if any.
 * @throws {ExitError} If there is no such source.
 */
export async function syncSource(
  { name, path }: { readonly name: string | undefined; readonly path: string | undefined },
  { retry = false }: SyncOptions,
  context: ClientContext,
): Promise<number> {
  const { client, output, signal } = context;
  if (path !== undefined && !RelativePath.safeParse(path).success) {
    throw new ConfigError("path must be relative to the folder of the source, with / between its segments");
  }
  const request = { ...(path !== undefined && { path }), retry, wait_seconds: WAIT_SECONDS };
  const sync = async ({ source_id: id }: Source) =>
    await synchronized(await client.syncSource(id, request, { actor: ACTOR, signal }), context);
  if (name !== undefined) return printReport(await sync(await findSource(name, context)), context);

  const sources = await client.sources({ signal });
  if (sources.length === 0 && !output.isJson) output.lines(NO_SOURCES);
  const synced: Source[] = [];
  for (const source of sources) {
    const current = await sync(source);
    synced.push(current);
    if (!output.isJson) printReport(current, context);
  }
  if (output.isJson) output.json({ sources: synced });
  const statuses = synced.map(exitStatus);
  return statuses.includes(1) ? 1 : Math.max(0, ...statuses);
}

/**
 * Implements `kb-mcp source remove`.
 *
 * @throws {ExitError} If there is no such source.
 */
export async function removeSource(
  name: string,
  { keepDocuments = false }: RemoveSourceOptions,
  context: ClientContext,
): Promise<void> {
  const { client, output, signal } = context;
  const { source_id: id, documents } = await findSource(name, context);
  const removed = await client.removeSource(id, { keep_documents: keepDocuments }, { actor: ACTOR, signal });
  if (output.isJson) return output.json(removed);
  output.lines(
    keepDocuments
      ? `Removed the source ${oneLine(name)} and kept its ${counted(documents, "document")}.`
      : `Removed the source ${oneLine(name)}, and moved ${
        counted(removed.deleted, "document")
      } to the trash.`,
  );
}

const COLUMNS: readonly Column<Source>[] = [
  { head: "NAME", value: ({ name }) => name },
  { head: "LOCATION", value: ({ location }) => location, minWidth: 12 },
  { head: "DOCUMENTS", value: ({ documents }) => documents, align: "right" },
  { head: "FAILED", value: ({ last_sync }) => last_sync?.failed || null, align: "right" },
  { head: "STATE", value: ({ state, last_sync }) => last_sync?.error ? `${state}, error` : state },
  { head: "SYNCED", value: ({ last_sync }) => minute(last_sync?.finished_at) },
  {
    head: "OPTIONS",
    value: ({ writable, configured }) =>
      [writable && "writable", configured && "configured"].filter(Boolean).join(", "),
  },
];

/** Waits until a source is not being synchronized. */
export async function synchronized(source: Source, { client, signal }: ClientContext): Promise<Source> {
  let current = source;
  while (current.state === "syncing") {
    await delay(POLL_MS, signal);
    signal.throwIfAborted();
    current = await client.source(source.source_id, { signal });
  }
  return current;
}

/** Prints what a synchronization has done. Returns the exit status. */
export function printReport(source: Source, { output }: ClientContext): number {
  const { name, last_sync: report, documents } = source;
  if (output.isJson) output.json(source);
  else if (report) {
    output.lines(`${oneLine(name)}: ${describeCounts(report)}; ${counted(documents, "document")}`);
    output.lines(...report.failures.map(describeFailure));
    const more = report.failed - report.failures.length;
    if (more > 0) output.lines(`  and ${more} more`);
  }
  if (report?.error && !output.isJson) output.error(report.error);
  return exitStatus(source);
}

function exitStatus({ last_sync: report }: Source): number {
  return report?.error ? 1 : report && report.failed > 0 ? EXIT_PARTLY : 0;
}

/** Returns the counts that are not 0. */
function describeCounts(report: SyncReport): string {
  const names = ["created", "updated", "renamed", "deleted", "unchanged", "failed"] as const;
  return names.filter((name) => report[name] > 0).map((name) => `${report[name]} ${name}`).join(", ") ||
    "no files";
}

function describeFailure({ path, code, error }: SyncReport["failures"][number]): string {
  return `  ${oneLine(path)}: ${oneLine(error)} (${oneLine(code)})`;
}

async function findSource(name: string, { client, signal }: ClientContext): Promise<Source> {
  const sources = await client.sources({ signal });
  const source = sources.find((each) => each.name === name);
  if (source) return source;
  const names = sources.map((each) => oneLine(each.name)).join(", ");
  throw new ExitError(
    1,
    `There is no source ${oneLine(name)}: ${names === "" ? "kb-mcp source add adds one" : `choose ${names}`}`,
  );
}

/** Returns a name for a folder. */
function nameOf(dir: string): string {
  return basename(resolve(dir)).toLowerCase().replace(/[^a-z0-9_-]+/g, "-").replace(/^[^a-z0-9]+|-+$/g, "")
    .slice(0, 64);
}

function checkName(name: string): string {
  if (SourceName.safeParse(name).success) return name;
  throw new ConfigError(
    `--name must be 1 to 64 lower-case letters, digits, hyphens or underscores, got ${JSON.stringify(name)}`,
  );
}

/** Returns the given properties of an object that are defined. */
function pick<T extends object, K extends keyof T>(
  object: T,
  keys: readonly K[],
): { [P in K]?: NonNullable<T[P]> } {
  return Object.fromEntries(
    keys.map((key) => [key, object[key]] as const).filter(([, value]) => value !== undefined),
  ) as { [P in K]?: NonNullable<T[P]> };
}

import { resolve } from "node:path";
import { ConfigError } from "../../config/mod.ts";
import { RelativePath, type Source } from "../../contract/mod.ts";
import { overlappingFolders } from "../../folder/mod.ts";
import { oneLine } from "../../text/mod.ts";
import { describeOtherTypes } from "../add/other_types.ts";
import { ExitError } from "../exit_status.ts";
import { counted } from "../format.ts";
import { ACTOR, type ClientContext } from "./client_context.ts";
import { minute } from "./document_table.ts";
import { describeFailure } from "./failures.ts";
import { splitField } from "./filters.ts";
import { requireSource } from "./find_source.ts";
import { checkSourceName, nameOfFolder } from "./source_name.ts";
import { exitStatus, printReport, synchronized } from "./sync_report.ts";
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
  /** Whether to remove it without asking. */
  readonly yes?: boolean;
}

/** Time that a request waits for the end of a synchronization, in seconds. */
const WAIT_SECONDS = 10;
/** Clients request the list of tools once per session. */
const NEW_TOOLS =
  "This is the first source: agents get the tools for folders, such as kb_sections, when they connect again.";
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
  const { client, engineName, output, signal } = context;
  const { name = nameOfFolder(dir), section = [], tags, include, exclude, ...fields } = options;
  const source = {
    name: checkSourceName(name),
    path: resolve(dir),
    ...pick(fields, ["description", "collection", "watch", "writable"]),
    tags: [...tags ?? []],
    include: [...include ?? []],
    exclude: [...exclude ?? []],
    sections: Object.fromEntries(section.map((each) => splitField("--section", each))),
  };
  // Adding a source again changes its options.
  const isFirst = (await client.sources({ signal })).length === 0;
  const added = await client.addSource(source, { actor: ACTOR, signal });
  const synced = await synchronized(added, context);
  const status = printReport(synced, context);
  // Older engines do not count them.
  const { other_types: otherTypes } = synced.last_sync ?? {};
  if (otherTypes && !output.isJson) {
    output.lines(
      output.colors.dim(`${describeOtherTypes(otherTypes)}: --include '*' takes files of all types.`),
    );
  }
  const sources = await client.sources({ signal });
  if (isFirst && /^https?:/.test(engineName) && !output.isJson) {
    output.lines(output.colors.dim(NEW_TOOLS));
  }
  const overlapping = await overlappingSources(added, sources);
  if (overlapping.length > 0) {
    output.error(
      `The folder overlaps with that of ${
        overlapping.map((each) => oneLine(each.name)).join(", ")
      }: a file in ` +
        "both is stored as two documents. To remove one: kb-mcp source remove NAME",
    );
  }
  return status;
}

/** Returns the sources of folders that contain the folder of a source, or are in it. */
async function overlappingSources(added: Source, sources: readonly Source[]): Promise<Source[]> {
  const folders = sources.filter(({ type }) => type === "folder");
  const pairs = await overlappingFolders(folders.map(({ location }) => location));
  const index = folders.findIndex(({ source_id }) => source_id === added.source_id);
  return pairs.filter((pair) => pair.includes(index))
    .flatMap((pair) => folders[pair[0] === index ? pair[1] : pair[0]] ?? []);
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
  if (name !== undefined) return printReport(await sync(await requireSource(name, context)), context);

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
 * @throws {ExitError} If there is no such source, or the user declines.
 */
export async function removeSource(
  name: string,
  { keepDocuments = false, yes = false }: RemoveSourceOptions,
  context: ClientContext,
): Promise<void> {
  const { client, confirm, output, signal } = context;
  const { source_id: id, documents } = await requireSource(name, context);
  const question = `Move ${counted(documents, "document")} of the source ${oneLine(name)} to the trash?`;
  if (!yes && !keepDocuments && documents > 0 && confirm && !confirm(question)) {
    throw new ExitError(1, "Nothing was removed");
  }
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

/** Returns the given properties of an object that are defined. */
function pick<T extends object, K extends keyof T>(
  object: T,
  keys: readonly K[],
): { [P in K]?: NonNullable<T[P]> } {
  return Object.fromEntries(
    keys.map((key) => [key, object[key]] as const).filter(([, value]) => value !== undefined),
  ) as { [P in K]?: NonNullable<T[P]> };
}

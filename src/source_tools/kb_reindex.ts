import * as z from "zod";
import { RelativePath, type Source } from "../contract/mod.ts";
import { oneLine } from "../text/mod.ts";
import { defineTool, ToolError, withoutEmpty } from "../tools/mod.ts";
import { SourceArgument } from "./arguments.ts";
import { findSource } from "./find_source.ts";

/** Maximum time to wait in seconds: the contract's, which is less than the timeout of most clients. */
const MAX_WAIT = 50;
/** Maximum number of failures of a source in the output. */
const MAX_FAILURES = 10;

/** Synchronizes sources with their folders. */
export const kbReindex = defineTool({
  name: "kb_reindex",
  title: "Read sources from disk",
  description:
    `Bring the knowledge base up to date with the files of its sources: new, changed, renamed and deleted \
ones. Unchanged files are skipped; files that failed are tried again.

Use this tool when you need to:
- Find files that have just changed on disk, in sources that are not watched`,
  scope: "write",
  engineVersion: "3.4.0",
  input: z.strictObject({
    source: SourceArgument.describe("Default all."),
    path: z.string().min(1).max(1_500).refine(
      (path) => RelativePath.safeParse(path).success,
      "must be a path inside the source, without . and ..",
    ).optional().describe("Only this file or folder of it."),
    wait: z.int().min(0).max(MAX_WAIT).default(30).describe("Seconds to wait for the end."),
  }),
  output: z.looseObject({
    sources: z.array(
      z.looseObject({ name: z.string(), documents: z.number(), state: z.string().optional() }),
    ),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ source: name, path, wait }, context) {
    if (path !== undefined && name === undefined) await findSource(undefined, context);
    const { engine, caller, signal } = context;
    const sources = name === undefined ? await engine.sources({ signal }) : [await findSource(name, context)];
    if (sources.length === 0) throw new ToolError("There are no sources: see kb_sections.");
    const request = { retry: true, wait_seconds: wait, ...(path === undefined ? {} : { path }) };
    const synchronized = await Promise.all(
      sources.map(({ source_id }) => engine.syncSource(source_id, request, { actor: caller.name, signal })),
    );
    return { sources: synchronized.map(presentSync) };
  },
});

/** Presents a source with the numbers of the synchronization that are not zero. */
function presentSync({ name, documents, state, last_sync }: Source) {
  const { started_at: _, finished_at, failures = [], warnings = [], error, ...counts } = last_sync ??
    { finished_at: null };
  const changes = Object.entries(counts).filter(([, count]) => typeof count === "number" && count > 0);
  return {
    name,
    documents,
    ...(state === "syncing" || finished_at === null ? { state: "syncing" } : {}),
    ...Object.fromEntries(changes),
    ...withoutEmpty({
      failures: failures.slice(0, MAX_FAILURES).map(({ path, error }) => ({
        path: oneLine(path, 300),
        error: oneLine(error, 300),
      })),
      warnings: warnings.slice(0, MAX_FAILURES).map(({ path, warning }) => ({
        path: oneLine(path, 300),
        warning: oneLine(warning, 300),
      })),
      error: error === null || error === undefined ? undefined : oneLine(error, 300),
    }),
  };
}

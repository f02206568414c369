import { resolve } from "node:path";
import { systemReason } from "../../text/mod.ts";
import { filterCollections, toEngineFilters } from "../../tools/mod.ts";
import { ExportError, exportJsonl, exportMarkdown } from "../../transfer/mod.ts";
import type { ClientContext } from "../client/client_context.ts";
import { type FilterOptions, selectDocuments } from "../client/filters.ts";
import { EX_USAGE, EXIT_PARTLY, ExitError } from "../exit_status.ts";
import { counted } from "../format.ts";
import { Progress } from "./progress.ts";

/** Options of `kb-mcp export`, as the parser returns them. */
export interface ExportCommandOptions
  extends Pick<FilterOptions, "collection" | "tags" | "type" | "since" | "until"> {
  readonly format?: "markdown" | "jsonl";
  readonly sourcePathPrefix?: string;
  readonly overwrite?: boolean;
}

/** Implements `kb-mcp export`. Returns the exit status. */
export async function exportDocuments(
  directory: string,
  options: ExportCommandOptions,
  context: ClientContext,
): Promise<number> {
  const { client, output, now, signal } = context;
  const {
    format = "markdown",
    overwrite = false,
    collection,
    tags,
    type,
    sourcePathPrefix: path,
    since,
    until,
  } = options;
  const selection = { collection, tags, type, path, since, until };
  const { filters } = selectDocuments(selection as FilterOptions, now());
  const collections = await filterCollections(filters.collection, { ...context, engine: client });
  using progress = new Progress(output, "Exporting");
  const write = format === "jsonl" ? exportJsonl : exportMarkdown;
  const report = await write(client, resolve(directory), {
    filters: toEngineFilters(filters, collections),
    selection: JSON.parse(JSON.stringify(selection)),
    overwrite,
    onProgress: (done, total) => progress.show(done, total),
    signal,
  }).catch((error) => {
    const message = error instanceof ExportError
      ? error.message
      : isSystemError(error) && `Cannot export into ${JSON.stringify(directory)}: ${systemReason(error)}`;
    throw message ? new ExitError(EX_USAGE, message, { cause: error }) : error;
  });
  progress.end();
  if (output.isJson) output.json(report);
  else {
    for (const { file, error } of report.failures) output.error(`${file}: ${error}`);
    const { documents, written, unchanged, removed, failures } = report;
    const left = failures.length === 0 ? "" : `, ${failures.length} left as they are`;
    output.text(
      `Exported ${counted(documents, "document")} to ${directory}: ${counted(written, "file")} written, ` +
        `${unchanged} unchanged, ${removed} removed${left}.`,
    );
  }
  return report.failures.length === 0 ? 0 : EXIT_PARTLY;
}

/** Whether the operating system, or Deno, has refused an operation on a file. */
function isSystemError(error: unknown): boolean {
  return error instanceof Deno.errors.NotCapable || /^E[A-Z]+$/.test((error as { code?: string }).code ?? "");
}

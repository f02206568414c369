import { resolve } from "node:path";
import {
  findFormat,
  type FormatName,
  ImportError,
  type ImportReport,
  importSource,
} from "../../transfer/mod.ts";
import type { ClientContext } from "../client/client_context.ts";
import { EX_USAGE, EXIT_PARTLY, ExitError } from "../exit_status.ts";
import { counted } from "../format.ts";
import { Progress } from "./progress.ts";

/** Options of `kb-mcp import`, as the parser returns them. */
export interface ImportCommandOptions {
  readonly format?: FormatName | "auto";
  readonly collection?: string;
  readonly tags?: readonly string[];
  readonly overwrite?: boolean;
  readonly dryRun?: boolean;
}

/** Maximum number of failures that are printed for people. */
const MAX_FAILURES = 50;

/** Implements `kb-mcp import`. Returns the exit status. */
export async function importDocuments(
  path: string,
  options: ImportCommandOptions,
  { client, collections, output, signal }: ClientContext,
): Promise<number> {
  const { format: requested = "auto", collection, tags = [], overwrite = false, dryRun = false } = options;
  if (collection !== undefined) collections.check(collection);
  using progress = new Progress(output, "Importing");
  try {
    const format = requested === "auto" ? await findFormat(resolve(path)) : requested;
    const report = await importSource(client, resolve(path), {
      format,
      collection,
      collections: collections.names,
      tags,
      overwrite,
      dryRun,
      onProgress: ({ created, updated, unchanged, skipped, failed }) =>
        progress.show(created + updated + unchanged + skipped + failed),
      signal,
    });
    progress.end();
    if (output.isJson) output.json({ format, dry_run: dryRun, ...report });
    else print(report, { format, path, dryRun, output });
    return report.failed === 0 ? 0 : EXIT_PARTLY;
  } catch (error) {
    throw error instanceof ImportError ? new ExitError(EX_USAGE, error.message, { cause: error }) : error;
  }
}

function print(
  report: ImportReport,
  { format, path, dryRun, output }: {
    readonly format: string;
    readonly path: string;
    readonly dryRun: boolean;
    readonly output: ClientContext["output"];
  },
): void {
  for (const { name, error } of report.failures.slice(0, MAX_FAILURES)) output.error(`${name}: ${error}`);
  const more = report.failures.length - MAX_FAILURES;
  if (more > 0) output.error(`… and ${counted(more, "more failure")}: --json prints all`);
  for (const [reason, n] of Object.entries(report.skips)) output.text(`Skipped ${n}: ${reason}`);
  const { created, updated, unchanged, failed } = report;
  output.text(
    dryRun
      ? `${path} (${format}): ${
        counted(created, "document")
      } to import, ${failed} that cannot be imported. ` +
        "Nothing was changed."
      : `Imported ${path} (${format}): ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed.`,
  );
}

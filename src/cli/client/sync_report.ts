import { delay } from "../../async/mod.ts";
import type { Source, SyncReport } from "../../contract/mod.ts";
import { oneLine } from "../../text/mod.ts";
import { EXIT_PARTLY } from "../exit_status.ts";
import { counted } from "../format.ts";
import type { ClientContext } from "./client_context.ts";
import { describeFailure, describeWarning } from "./failures.ts";

/** Time between two requests for the state of a synchronization, in milliseconds. */
const POLL_MS = 300;

/**
 * Waits until a source is not being synchronized.
 *
 * @param onProgress Receives each state of the source.
 */
export async function synchronized(
  source: Source,
  { client, signal }: ClientContext,
  onProgress: (source: Source) => void = () => {},
): Promise<Source> {
  let current = source;
  while (current.state === "syncing") {
    await delay(POLL_MS, signal, { ref: true });
    signal.throwIfAborted();
    current = await client.source(source.source_id, { signal });
    onProgress(current);
  }
  return current;
}

/** Prints the report of the last synchronization. Returns the exit status. */
export function printReport(source: Source, { output }: ClientContext): number {
  const { name, last_sync: report, documents } = source;
  if (output.isJson) output.json(source);
  else if (report) {
    output.lines(`${oneLine(name)}: ${describeCounts(report)}; ${counted(documents, "document")}`);
    output.lines(...report.failures.map(describeFailure));
    const more = report.failed - report.failures.length;
    if (more > 0) output.lines(`  and ${more} more`);
    if (report.warnings?.length) output.lines("Warnings:", ...report.warnings.map(describeWarning));
  }
  if (report?.error && !output.isJson) output.error(report.error);
  return exitStatus(source);
}

/** Returns the exit status for the last synchronization of a source. */
export function exitStatus({ last_sync: report }: Source): number {
  return report?.error ? 1 : report && report.failed > 0 ? EXIT_PARTLY : 0;
}

/** Returns the counts that are not 0. */
function describeCounts(report: SyncReport): string {
  const names = ["created", "updated", "renamed", "deleted", "unchanged", "failed"] as const;
  return names.filter((name) => report[name] > 0).map((name) => `${report[name]} ${name}`).join(", ") ||
    "no files";
}

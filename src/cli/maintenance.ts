import { type Config, ConfigError } from "../config/mod.ts";
import { backup, type DamagedDocument, repair, type RepairReport } from "../engine/mod.ts";
import { dataDirFailure } from "./open_engine.ts";

/** What the commands use of the process. */
export interface MaintenanceContext {
  /** Returns the data directory when `KB_DATA_DIR` is unset. */
  defaultDataDir(): string;
  /** Writes to standard output. */
  print(text: string): void;
}

/** Maximum number of documents to list. */
const MAX_LISTED = 1000;

/**
 * Implements `kb-mcp backup FILE`: writes a copy of the database, also while a server uses it.
 *
 * @returns The exit status 0.
 * @throws {ConfigError} When an argument or setting cannot be used.
 * @throws {ExitError} When the data is damaged.
 */
export async function runBackup(
  file: string,
  config: Config,
  context: MaintenanceContext,
): Promise<number> {
  const dataDir = localDataDir("backup", config, context);
  try {
    const { bytes, documents } = await backup(dataDir, file);
    context.print(
      `Wrote ${count(documents, "document")} to ${file} (${
        (bytes / 2 ** 20).toFixed(1)
      } MiB), and checked the copy.\n` +
        "Files of jobs in the queue are not included.\n",
    );
    return 0;
  } catch (error) {
    throw dataDirFailure(error);
  }
}

/**
 * Implements `kb-mcp repair`: recovers what can be read from a damaged database into a new one.
 *
 * @returns The exit status 0.
 * @throws {ConfigError} When a setting cannot be used, or a server is running.
 * @throws {ExitError} When nothing can be read.
 */
export async function runRepair(config: Config, context: MaintenanceContext): Promise<number> {
  const dataDir = localDataDir("repair", config, context);
  try {
    context.print(describeReport(await repair(dataDir)));
    return 0;
  } catch (error) {
    throw dataDirFailure(error);
  }
}

function localDataDir(command: string, config: Config, context: MaintenanceContext): string {
  if (config.KB_ENGINE_URL !== undefined) {
    throw new ConfigError(
      `${command} needs direct access to the data directory, but KB_ENGINE_URL names another engine: run ${command} on that ` +
        "engine's machine, with its KB_DATA_DIR and without KB_ENGINE_URL",
    );
  }
  return config.KB_DATA_DIR ?? context.defaultDataDir();
}

/** Formats the result of a repair for the operator. */
export function describeReport(
  { rows, lost, incomplete, untagged, missingCommits, unclaimedFiles, kept }: RepairReport,
): string {
  const lines = [
    `Recovered ${count(rows["documents"], "document")} with ${count(rows["chunks"], "chunk")}, ` +
    `${count(rows["tags"], "tag")}, ${count(rows["jobs"], "job")} and ${
      count(rows["chunk_vectors"], "vector")
    }. ` +
    "The search index was rebuilt.",
  ];
  if ((rows["revisions"] ?? 0) > 0) {
    lines.push(`Recovered ${count(rows["revisions"], "former or deleted version")} of documents.`);
  }
  if (missingCommits === undefined) {
    lines.push(
      "Whether the latest changes are missing cannot be determined: their number in kb.db is damaged.",
    );
  } else if (missingCommits > 0) {
    lines.push(
      `${count(missingCommits, "acknowledged change")} did not reach kb.db and cannot be recovered.`,
    );
  }
  if (lost.length > 0) lines.push(`Lost ${count(lost.length, "document")}:`, ...list(lost));
  if (incomplete.length > 0) {
    lines.push(
      `Incomplete, to be added again: ${count(incomplete.length, "document")}:`,
      ...list(incomplete),
    );
  }
  if (untagged === undefined) {
    lines.push("The tags and collections of all documents could not be read, and are lost.");
  } else if (untagged.length > 0) {
    lines.push(
      `Tags or the collection of ${count(untagged.length, "document")} are lost or could not be read:`,
      ...list(untagged),
    );
  }
  if (unclaimedFiles > 0) {
    lines.push(`Moved ${count(unclaimedFiles, "queued file")} without a job out of the spool.`);
  }
  lines.push(`Kept the previous files: ${kept.join(", ")}. Remove them when you no longer need them.`);
  return `${lines.join("\n")}\n`;
}

function list(documents: readonly DamagedDocument[]): string[] {
  const lines = documents.slice(0, MAX_LISTED).map(({ id, title, sourcePath }) =>
    `  ${id}${title === null ? "" : ` ${JSON.stringify(title)}`}${
      sourcePath === null ? "" : ` from ${JSON.stringify(sourcePath)}`
    }`
  );
  const more = documents.length - lines.length;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}

function count(n = 0, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

import { type Config, ConfigError } from "../config/mod.ts";
import { backup, checkData, repair, restoreBackup, vacuum } from "../engine/mod.ts";
import { quoteText } from "../text/mod.ts";
import { withServer } from "./connection.ts";
import { EX_DATAERR } from "./exit_status.ts";
import { counted, formatJson, mebibytes } from "./format.ts";
import { dataDirFailure } from "./open_engine.ts";
import { describeReport, keptFiles, repairJson } from "./repair_report.ts";

/** Parts of the process that the commands use. */
export interface MaintenanceContext {
  /** Returns the data directory when `KB_DATA_DIR` is unset. */
  defaultDataDir(): string;
  /** Writes to standard output. */
  print(text: string): void;
}

/** Options of `kb-mcp backup`. */
export interface BackupFlags {
  /** False with `--no-compress`. */
  readonly compress: boolean;
  /** Whether to print JSON. */
  readonly json?: boolean;
}

/**
 * Implements `kb-mcp backup FILE`: writes a copy of the database, also while a server uses it.
 *
 * @throws {ConfigError} When an argument or setting cannot be used.
 * @throws {ExitError} When the data is damaged.
 */
export async function runBackup(
  file: string,
  { compress, json = false }: BackupFlags,
  config: Config,
  context: MaintenanceContext,
): Promise<void> {
  if (file === "") throw new ConfigError("backup needs the name of a file: kb-mcp backup FILE");
  const dataDir = localDataDir("backup", config, context);
  try {
    const { bytes, documents, queuedFiles } = await backup(
      dataDir,
      file,
      compress ? {} : { compression: "none" },
    );
    if (json) {
      return context.print(formatJson({ file, bytes, documents, queued_files_left_out: queuedFiles }));
    }
    const queue = queuedFiles > 0
      ? `${counted(queuedFiles, "file")} in the queue `
      : "Files of jobs in the queue ";
    context.print(
      `Wrote ${counted(documents, "document")} to ${file} (${mebibytes(bytes)}), and checked the copy.\n` +
        `${queue}${queuedFiles === 1 ? "is" : "are"} not included.\n`,
    );
  } catch (error) {
    throw dataDirFailure(error);
  }
}

/**
 * Implements `kb-mcp restore FILE`: replaces the data by that of a backup, and keeps the former files.
 *
 * @throws {ConfigError} When an argument or setting cannot be used, or a server is running.
 * @throws {ExitError} When the backup is damaged.
 */
export async function runRestore(
  file: string,
  { replace, json }: { readonly replace: boolean; readonly json: boolean },
  config: Config,
  context: MaintenanceContext,
): Promise<void> {
  const dataDir = localDataDir("restore", config, context);
  try {
    const { documents, jobsWithoutFiles, folders, kept } = await restoreBackup(dataDir, file, { replace });
    if (json) {
      const report = { data_dir: dataDir, documents, jobs_without_files: jobsWithoutFiles, folders, kept };
      return context.print(formatJson(report));
    }
    const lines = [`Restored ${counted(documents, "document")} from ${file} to ${dataDir}.`];
    if (jobsWithoutFiles > 0) {
      lines.push(
        `The files of ${counted(jobsWithoutFiles, "queued job")} are missing: add these files again.`,
      );
    }
    if (folders.length > 0) {
      // A backup from another machine, or of somebody else, names folders that the user has not chosen.
      const listed = folders.map((folder) => quoteText(folder, 4_096)).join(", ");
      lines.push(
        `The next start reads these folders, its sources: ${listed}. ` +
          "If one is not yours, run kb-mcp source remove NAME first.",
      );
    }
    if (kept.length > 0) lines.push(keptFiles(kept));
    context.print(`${lines.join("\n")}\n`);
  } catch (error) {
    throw await withServer(dataDirFailure(error), dataDir);
  }
}

/**
 * Implements `kb-mcp check`: prints a line per part of the data, also while a server uses it.
 *
 * @returns The exit status: 0; 65 when a part is damaged.
 * @throws {ConfigError} When a setting cannot be used.
 */
export function runCheck(
  { json }: { readonly json: boolean },
  config: Config,
  context: MaintenanceContext,
): number {
  const dataDir = localDataDir("check", config, context);
  try {
    const { parts, isIntact } = checkData(dataDir);
    if (json) context.print(formatJson({ data_dir: dataDir, intact: isIntact, parts }));
    else {
      for (const { name, state, message } of parts) {
        context.print(`${state.padEnd(8)} ${name.padEnd(10)} ${message}\n`);
      }
      if (!isIntact) context.print('Stop the server and run "kb-mcp repair", or restore a backup.\n');
    }
    return isIntact ? 0 : EX_DATAERR;
  } catch (error) {
    throw dataDirFailure(error);
  }
}

/**
 * Implements `kb-mcp vacuum`: returns unused space of the database to the file system.
 *
 * @throws {ConfigError} When a setting cannot be used, or a server is running.
 * @throws {ExitError} When the data is damaged.
 */
export async function runVacuum(
  { json = false }: { readonly json?: boolean },
  config: Config,
  context: MaintenanceContext,
): Promise<void> {
  const dataDir = localDataDir("vacuum", config, context);
  try {
    const { before, after } = await vacuum(dataDir);
    if (json) {
      const freed = Math.max(0, before - after);
      return context.print(
        formatJson({ data_dir: dataDir, bytes_before: before, bytes_after: after, bytes_freed: freed }),
      );
    }
    context.print(
      `Freed ${mebibytes(Math.max(0, before - after))}: ${mebibytes(before)} before, ${
        mebibytes(after)
      } now.\n`,
    );
  } catch (error) {
    throw await withServer(dataDirFailure(error), dataDir);
  }
}

/**
 * Implements `kb-mcp repair`: recovers the readable data of a damaged database into a new one.
 *
 * @returns The exit status 0.
 * @throws {ConfigError} When a setting cannot be used, or a server is running.
 * @throws {ExitError} When nothing can be read.
 */
export async function runRepair(
  { into, json = false }: { readonly into?: string; readonly json?: boolean },
  config: Config,
  context: MaintenanceContext,
): Promise<number> {
  const dataDir = localDataDir("repair", config, context);
  try {
    const report = await repair(dataDir, into === undefined ? {} : { into });
    context.print(
      json ? formatJson({ data_dir: into ?? dataDir, ...repairJson(report) }) : describeReport(report),
    );
    return 0;
  } catch (error) {
    throw await withServer(dataDirFailure(error), dataDir);
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

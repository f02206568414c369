import { describeStage } from "../../client/mod.ts";
import { checkCallerTags, DEFAULT_COLLECTION } from "../../collections/mod.ts";
import { oneLine } from "../../text/mod.ts";
import type { ClientContext } from "../client/client_context.ts";
import { describeFailure, describeWarning, type Failure, type Warning } from "../client/failures.ts";
import { toExitError } from "../client/run_client.ts";
import { EXIT_PARTLY } from "../exit_status.ts";
import { counted } from "../format.ts";
import {
  addFiles,
  type AddFilesOptions,
  FILE_OUTCOMES,
  type FileDetail,
  type FileOutcome,
} from "./add_files.ts";
import { countFiles, describeOtherTypes } from "./other_types.ts";
import { type Plan, planFiles } from "./plan.ts";
import { type AddProgress, createProgress, noProgress } from "./progress.ts";
import { StoredDocuments, type StoredTarget } from "./stored_documents.ts";

/** Options of `kb-mcp add`, as the parser returns them. */
export interface AddOptions {
  readonly recursive?: boolean;
  readonly collection?: string;
  readonly tags?: readonly string[];
  readonly prefix?: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly overwrite?: boolean;
  readonly dryRun?: boolean;
  /** False with `--no-wait`. */
  readonly wait?: boolean;
}

/**
 * Implements `kb-mcp add PATH...`: sends the files that are not stored yet, and reports what became of each.
 *
 * @returns The exit status: 1 if no file could be stored, 2 if some could not.
 * @throws {ConfigError} For a path that does not exist.
 */
export async function add(
  paths: readonly string[],
  options: AddOptions,
  context: ClientContext,
): Promise<number> {
  const { client, collections, output, signal } = context;
  const { collection, tags = [], dryRun = false, wait = true, overwrite = false } = options;
  const target: StoredTarget = {
    collection: collection === undefined ? undefined : collections.check(collection),
    tags: checkCallerTags(tags),
  };
  const startedAt = performance.now();
  const plan = await planFiles(paths, {
    recursive: options.recursive ?? false,
    prefix: options.prefix,
    include: options.include ?? [],
    exclude: options.exclude ?? [],
    signal,
  });
  const stored = await StoredDocuments.load(client, {
    prefixes: plan.prefixes,
    paths: plan.files.map(({ sourcePath }) => sourcePath),
    signal,
  });
  if (dryRun) return await preview(plan, { stored, target, overwrite }, context);

  const report = new AddReport(plan);
  let failure: unknown;
  {
    using progress = startProgress(plan, context);
    try {
      await addFiles(plan.files, {
        client,
        stored,
        defaultCollection: DEFAULT_COLLECTION,
        target,
        overwrite,
        wait,
        signal,
        onProgress: ({ sourcePath }, job) => {
          if (job.work) progress.describe(sourcePath, describeStage(job));
        },
        onOutcome: ({ sourcePath, size }, outcome, detail) => {
          report.count(outcome, detail);
          progress.advance(sourcePath, size);
        },
      });
    } catch (error) {
      failure = error;
    }
  }
  report.print(output, {
    seconds: (performance.now() - startedAt) / 1000,
    isComplete: failure === undefined,
  });
  if (failure !== undefined) throw toExitError(failure);
  return report.exitStatus;
}

function startProgress({ files }: Plan, { output }: ClientContext): AddProgress {
  if (!output.showsProgress) return noProgress;
  return createProgress(files.length, files.reduce((bytes, { size }) => bytes + size, 0));
}

/** Prints what `add` would do with each file. */
async function preview(
  { files, problems, warnings, ...rest }: Plan,
  { stored, target, overwrite }: Pick<AddFilesOptions, "stored" | "target" | "overwrite">,
  { output }: ClientContext,
): Promise<number> {
  const planned: { path: string; action: string }[] = [];
  for (const file of files) {
    const state = await stored.compare(file, target);
    const action =
      { new: "add", changed: "replace", occupied: overwrite ? "replace" : "fail", unchanged: "skip" }[state];
    planned.push({ path: file.sourcePath, action });
  }
  if (output.isJson) {
    output.json({ files: planned, failures: problems, ...(warnings.length > 0 && { warnings }) });
  } else {
    output.lines(...planned.map(({ path, action }) => `${action.padEnd(8)}${oneLine(path, 2000)}`));
    output.lines(...leftOut(rest));
    if (warnings.length > 0) output.lines("Warnings:", ...warnings.map(describeWarning));
  }
  return problems.length > 0 ? EXIT_PARTLY : 0;
}

const LABELS: Readonly<Record<FileOutcome, string>> = {
  created: "added",
  replaced: "replaced",
  duplicate: "already stored",
  unpacked: "unpacked",
  stored: "stored",
  accepted: "accepted",
  unchanged: "unchanged",
  failed: "failed",
};

/** Counts what became of the files. */
class AddReport {
  readonly #plan: Plan;
  readonly #counts = new Map<FileOutcome, number>();
  readonly #failures: Failure[];
  readonly #warnings: Warning[];

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#failures = [...plan.problems];
    this.#warnings = [...plan.warnings];
  }

  count(outcome: FileOutcome, { failure, warning }: FileDetail = {}): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    if (failure) this.#failures.push(failure);
    if (warning) this.#warnings.push(warning);
  }

  get exitStatus(): number {
    if (this.#failures.length === 0) return 0;
    const failed = this.#counts.get("failed") ?? 0;
    return this.#plan.files.length === failed ? 1 : EXIT_PARTLY;
  }

  print(
    output: ClientContext["output"],
    { seconds, isComplete }: { readonly seconds: number; readonly isComplete: boolean },
  ): void {
    const counts = FILE_OUTCOMES.map((outcome) => [outcome, this.#counts.get(outcome) ?? 0] as const);
    const done = counts.reduce((sum, [, count]) => sum + count, 0);
    const { files, otherTypes, subfolders } = this.#plan;
    this.#failures.sort((a, b) => a.path < b.path ? -1 : 1);
    if (output.isJson) {
      return output.json({
        files: files.length,
        ...Object.fromEntries(counts),
        failed: this.#failures.length,
        other_types: countFiles(otherTypes),
        subfolders_left_out: subfolders,
        complete: isComplete,
        seconds: Number(seconds.toFixed(2)),
        failures: this.#failures,
        ...(this.#warnings.length > 0 && { warnings: this.#warnings }),
      });
    }
    const shown = counts.filter(([, count]) => count > 0).map(([outcome, count]) =>
      `${LABELS[outcome]} ${count}`
    );
    const rate = seconds > 0 ? `, ${Math.round(done / seconds)} files/s` : "";
    output.lines(
      files.length === 0
        ? "No files to add."
        : `${done} of ${files.length} files: ${shown.join(", ") || "stopped"} (${
          seconds.toFixed(1)
        } s${rate})`,
      ...leftOut(this.#plan),
      ...(isComplete ? [] : this.#stopped()),
    );
    if (this.#failures.length > 0) {
      // Files and folders that cannot be listed or opened are not among the files above.
      const { length: uncounted } = this.#plan.problems;
      const note = uncounted > 0 && files.length > 0
        ? ` (${uncounted} of these ${uncounted === 1 ? "is" : "are"} not counted above)`
        : "";
      output.lines(`Failed${note}:`, ...this.#failures.map(describeFailure));
    }
    if (this.#warnings.length > 0) output.lines("Warnings:", ...this.#warnings.map(describeWarning));
  }

  #stopped(): string[] {
    const isQueued = (this.#counts.get("accepted") ?? 0) > 0;
    return [
      ...(isQueued ? ["The engine has received the accepted files, and stores them: see kb-mcp jobs."] : []),
      "Run the command again: it continues with the other files.",
    ];
  }
}

function leftOut({ otherTypes, subfolders }: Pick<Plan, "otherTypes" | "subfolders">): string[] {
  return [
    ...(subfolders > 0 ? [`Left out ${counted(subfolders, "subfolder")}: add with --recursive.`] : []),
    ...(countFiles(otherTypes) > 0
      ? [`${describeOtherTypes(otherTypes)}: add one with --include '*.EXT', or all with --include '*'.`]
      : []),
  ];
}

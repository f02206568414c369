import {
  MAX_SYNC_FAILURES,
  type SyncFailure,
  type SyncReport,
  type SyncWarning,
} from "../../contract/mod.ts";
import { OtherTypes } from "../../folder/mod.ts";

/** What happened to a file. */
export type FileOutcome = "created" | "updated" | "renamed" | "deleted" | "unchanged";

/** Counts the files of a synchronization, for the report while it runs and after it. */
export class SyncProgress {
  readonly #startedAt = new Date().toISOString();
  readonly #counts = { created: 0, updated: 0, renamed: 0, deleted: 0, unchanged: 0 };
  #failed = 0;
  readonly #failures: SyncFailure[] = [];
  readonly #warnings: SyncWarning[] = [];
  readonly #otherTypes = new OtherTypes();
  /** Why the synchronization ended early. */
  error: string | undefined;

  /** Counts files. */
  count(outcome: FileOutcome, files = 1): void {
    this.#counts[outcome] += files;
  }

  /** Counts a file that could not be stored. Only the first {@linkcode MAX_SYNC_FAILURES} are listed. */
  fail(path: string, code: string, error: string): void {
    this.#failed++;
    if (this.#failures.length < MAX_SYNC_FAILURES) this.#failures.push({ path, code, error });
  }

  /** Reports doubts about the text of a stored file. Only the first {@linkcode MAX_SYNC_FAILURES} are listed. */
  warn(path: string, warnings: readonly string[] = []): void {
    if (warnings.length === 0 || this.#warnings.length >= MAX_SYNC_FAILURES) return;
    this.#warnings.push({ path, warning: warnings.join(" ") });
  }

  /** Counts a file that is left out because of its type. */
  leaveOut(name: string): void {
    this.#otherTypes.count(name);
  }

  /** Whether anything but unchanged files was counted. */
  get hasChanges(): boolean {
    const { unchanged: _, ...changes } = this.#counts;
    return Object.values(changes).some((n) => n > 0);
  }

  /** Returns the report, with the time of its end unless it still runs. */
  report({ isRunning }: { readonly isRunning: boolean }): SyncReport {
    const otherTypes = this.#otherTypes.byType();
    return {
      started_at: this.#startedAt,
      finished_at: isRunning ? null : new Date().toISOString(),
      ...this.#counts,
      failed: this.#failed,
      failures: [...this.#failures],
      ...(this.#warnings.length > 0 && { warnings: [...this.#warnings] }),
      ...(Object.keys(otherTypes).length > 0 && { other_types: otherTypes }),
      ...(this.error !== undefined && { error: this.error }),
    };
  }
}

import { systemReason } from "../text/mod.ts";
import { EX_USAGE, ExitError } from "./exit_status.ts";

/** Errors of a machine, not of the program, by their code: the advice for the operator. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: "check that this user may use it",
  EPERM: "check that this user may use it",
  EROFS: "make the disk writable",
  EMFILE: "raise the limit of open files (ulimit -n)",
  ENFILE: "raise the limit of open files of this machine",
  ENOSPC: "free some space",
  EDQUOT: "free some space, or raise the quota",
  EIO: "check the disk",
};

/** Codes of errors that a restart cannot help against. */
const OF_PERMISSIONS: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS"]);

/**
 * Returns the error that ends the program for an error of the operating system that is about the machine, such as a
 * folder of another user: the reason and what to do instead of a stack. Undefined for any other error, whose stack
 * shows where the program is wrong.
 */
export function systemFailure(error: unknown): ExitError | undefined {
  const { code } = error as { code?: unknown };
  if (!(error instanceof Error) || typeof code !== "string" || !Object.hasOwn(ADVICE, code)) return undefined;
  // Deno appends the operation with its path.
  const [, operation] = / \(os error \d+\): (.+)/s.exec(error.message) ?? [];
  const where = operation === undefined ? "" : ` (${operation})`;
  return new ExitError(
    OF_PERMISSIONS.has(code) ? EX_USAGE : 1,
    `Cannot continue: ${systemReason(error)}${where}: ${ADVICE[code]}`,
    { cause: error },
  );
}

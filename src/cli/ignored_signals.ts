/**
 * Signals that end a process unless it handles them, but must not end this one.
 *
 * SIGHUP: a closed terminal sends it to the processes that it started. The shell's `nohup` ignores it for the program that
 * it starts, but Deno installs a handler of its own over that, which ends the process, and a program cannot see what it
 * replaced. `nohup` redirects output from a terminal: a process that writes to none is taken for one that shall outlive it.
 *
 * SIGXFSZ: a write beyond the limit of the size of files (`ulimit -f`) fails like one on a full disk instead.
 *
 * @module
 */

const isWindows = Deno.build.os === "windows";

/** Whether a closed terminal stops this process in an orderly way, as Ctrl-C does. Windows has no such signal. */
export const stopsAtHangup: boolean = !isWindows && (Deno.stdout.isTerminal() || Deno.stderr.isTerminal());

/** Ignores the signals in this process. */
export function ignoreSignals(): void {
  if (isWindows) return;
  Deno.addSignalListener("SIGXFSZ", () => {});
  if (!stopsAtHangup) Deno.addSignalListener("SIGHUP", () => {});
}

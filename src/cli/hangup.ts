/**
 * SIGHUP, which a closed terminal sends to the processes that it started.
 *
 * The shell's `nohup` ignores the signal for the program that it starts, but Deno installs a handler of its own over that,
 * which ends the process, and a program cannot see what it replaced. `nohup` redirects output from a terminal: a process
 * that writes to none is taken for one that shall outlive it.
 *
 * @module
 */

/** Whether a closed terminal stops this process in an orderly way, as Ctrl-C does. Windows has no such signal. */
export const stopsAtHangup: boolean = Deno.build.os !== "windows" &&
  (Deno.stdout.isTerminal() || Deno.stderr.isTerminal());

/** Lets a process that writes to no terminal continue when its terminal is closed. */
export function outliveTerminal(): void {
  if (Deno.build.os !== "windows" && !stopsAtHangup) Deno.addSignalListener("SIGHUP", () => {});
}

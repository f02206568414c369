import type { Logger } from "../telemetry/mod.ts";
import type { CommandContext } from "./context.ts";
import { stopsAtHangup } from "./ignored_signals.ts";
import { onLauncherEnd } from "./launcher.ts";
import type { Service } from "./listen.ts";

/**
 * Signals within this time count as one Ctrl-C, in milliseconds: a terminal signals the whole process group,
 * and npx and `deno task` forward theirs as well.
 */
const SAME_SIGNAL_MS = 300;

/**
 * Timeout of a shutdown, in milliseconds: supervisors such as Docker kill a process after 10 s. The last lines of the log
 * may take another second.
 */
const SHUTDOWN_TIMEOUT_MS = 8500;

/**
 * Signals that stop the process, with their numbers. Windows has no SIGTERM; its service managers send
 * Ctrl-Break.
 */
export const STOP_SIGNALS: readonly [signal: Deno.Signal, number: number][] = Deno.build.os === "windows"
  ? [["SIGINT", 2], ["SIGBREAK", 21]]
  : [
    ["SIGINT", 2],
    ["SIGTERM", 15],
    ...(stopsAtHangup ? [["SIGHUP", 1] satisfies [Deno.Signal, number]] : []),
  ];

/** Prints that a service is ready. It serves all the same if nobody reads that, or the disk of the file is full. */
export function announce(context: CommandContext, text: string, log: Logger): void {
  try {
    context.print(text);
  } catch (error) {
    log.warn("failed to print that the server is ready", { error });
  }
}

/**
 * Waits for a signal or the end of the launcher, then shuts the service down. A second signal exits at once with status 130.
 *
 * @returns The exit status: 0, or 1 when the shutdown failed or timed out.
 */
export async function runUntilSignal(service: Service, log: Logger): Promise<number> {
  const { promise: reason, resolve: onStop } = Promise.withResolvers<Record<string, string>>();
  let firstAt: number | undefined;
  for (const [signal] of STOP_SIGNALS) {
    Deno.addSignalListener(signal, () => {
      if (firstAt !== undefined && performance.now() - firstAt > SAME_SIGNAL_MS) Deno.exit(130);
      firstAt ??= performance.now();
      onStop({ signal });
    });
  }
  using _launcher = onLauncherEnd(() => onStop({ reason: "the launcher has ended" }));
  log.info("shutting down", await reason);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The shutdown took longer than ${SHUTDOWN_TIMEOUT_MS} ms`)),
      SHUTDOWN_TIMEOUT_MS,
    );
  });
  try {
    await Promise.race([service.shutdown(), timeout]);
    log.info("stopped");
    return 0;
  } catch (error) {
    log.error("shutdown failed", { error });
    return 1;
  } finally {
    clearTimeout(timer);
  }
}

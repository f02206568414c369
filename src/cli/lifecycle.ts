import type { Logger } from "../telemetry/mod.ts";

/** Something that serves until it is told to stop. */
export interface Service {
  /** Refuses new work, finishes or aborts what runs, and gives back every resource. */
  shutdown(): Promise<void>;
}

/**
 * Signals within this time of the first one are the same Ctrl-C, in milliseconds: a terminal sends it to every process of
 * the group, and npx and `deno task` pass theirs on.
 */
const SAME_SIGNAL_MS = 300;

/** A shutdown that takes longer has hung; supervisors such as Docker kill after 10 s. */
const SHUTDOWN_LIMIT_MS = 9500;

/**
 * Serves until SIGINT or SIGTERM, then shuts down.
 *
 * @returns The exit status: 0, or 1 when the shutdown failed or did not end. A second signal, of its own, exits at once.
 */
export async function runUntilSignal(service: Service, log: Logger): Promise<number> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<Deno.Signal>();
  let firstAt: number | undefined;
  // Windows knows no SIGTERM; Ctrl-Break is what service managers send there.
  const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT", "SIGBREAK"] : ["SIGINT", "SIGTERM"];
  for (const signal of signals) {
    Deno.addSignalListener(signal, () => {
      if (firstAt !== undefined && performance.now() - firstAt > SAME_SIGNAL_MS) Deno.exit(130);
      firstAt ??= performance.now();
      stop(signal);
    });
  }
  log.info("shutting down", { signal: await stopped });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${SHUTDOWN_LIMIT_MS} ms`)), SHUTDOWN_LIMIT_MS);
  });
  try {
    await Promise.race([service.shutdown(), overdue]);
    log.info("stopped");
    return 0;
  } catch (error) {
    log.error("shutdown failed", { error });
    return 1;
  } finally {
    clearTimeout(timer);
  }
}

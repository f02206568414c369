// deno-lint-ignore-file no-console -- prints a report
/// <reference lib="deno.worker" />
/**
 * The thread of a watchdog.
 *
 * @module
 */
import type { WatchdogOptions } from "./watchdog.ts";

self.onmessage = ({ data }: MessageEvent<WatchdogOptions & { readonly current: Float64Array }>) => {
  const { name, seed, timeoutMs, current } = data;
  let last = current[0];
  setInterval(() => {
    if (current[0] === last && last !== -1) {
      console.error(`${name} does not finish input ${last} of seed ${seed} within ${timeoutMs} ms`);
      console.error(`Repeat: deno task fuzz ${name} --seed ${seed} --iteration ${last}`);
      // Not exit: it would wait for the main thread.
      Deno.kill(Deno.pid, "SIGKILL");
    }
    last = current[0];
  }, timeoutMs);
};

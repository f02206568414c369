import { LAUNCHER_VARIABLE } from "../config/mod.ts";

/** Interval of checks whether the launcher runs, in milliseconds. */
const CHECK_MS = 500;

/**
 * Calls a function when the launcher of the npm package has ended and no signal has arrived from it, as after `kill -9`:
 * otherwise the server would keep the port and the data directory unnoticed.
 *
 * @returns Disposing of it ends the checks.
 */
export function onLauncherEnd(callback: () => void): Disposable {
  const launcher = Deno.env.get(LAUNCHER_VARIABLE);
  // On Windows a process keeps the number of its parent.
  if (launcher === undefined || Deno.build.os === "windows") return { [Symbol.dispose]() {} };
  const timer = setInterval(() => {
    if (Deno.ppid === Number(launcher)) return;
    clearInterval(timer);
    callback();
  }, CHECK_MS);
  Deno.unrefTimer(timer);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

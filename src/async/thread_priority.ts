import { getPriority, setPriority } from "node:os";

/** Whether a thread can have another priority than its program. */
export const hasThreadPriorities = Deno.build.os === "linux";

/** Lowest priority. */
const MAX_NICE = 19;

/**
 * Gives the calling thread less processor time than the others get while they want all cores: a third with 5, a tenth
 * with 10. Otherwise nothing changes, and it is never without a share. Its own threads inherit that.
 *
 * On Linux only: elsewhere the same call lowers the whole process.
 *
 * @param by How much is added to the "nice" value.
 */
export function lowerThreadPriority(by: number): void {
  if (!hasThreadPriorities) return;
  try {
    // Relative to a program that was started with `nice`. 0 is the calling thread.
    setPriority(0, Math.min(MAX_NICE, getPriority(0) + by));
  } catch {
    // Optional: it lacks the permission, or the container forbids the call.
  }
}

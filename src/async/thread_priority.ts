import { getPriority, setPriority } from "node:os";

/** By how much the priority is lowered, as a "nice" value: a third of the share of a thread that is not lowered. */
const LOWER_BY = 5;
/** Lowest priority. */
const MAX_NICE = 19;

/**
 * Gives the calling thread a third of the processor time of the others while they want all cores. Otherwise nothing
 * changes, and it is never without a share. Its own threads inherit that.
 *
 * On Linux only: elsewhere the same call lowers the whole process.
 */
export function lowerThreadPriority(): void {
  if (Deno.build.os !== "linux") return;
  try {
    // Relative to a program that was started with `nice`. 0 is the calling thread.
    setPriority(0, Math.min(MAX_NICE, getPriority(0) + LOWER_BY));
  } catch {
    // Optional: it lacks the permission, or the container forbids the call.
  }
}

/**
 * Resolves after a time, or as soon as the signal aborts.
 *
 * @param ms Time in milliseconds.
 * @param options.ref Whether the timer keeps the process alive. Default: false.
 *
 * @example
 * ```ts
 * import { delay } from "./mod.ts";
 * await delay(60_000, AbortSignal.abort());
 * ```
 */
export function delay(
  ms: number,
  signal: AbortSignal | undefined,
  { ref = false }: { readonly ref?: boolean } = {},
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (!ref) Deno.unrefTimer(timer);
    signal?.addEventListener("abort", end);
  });
}

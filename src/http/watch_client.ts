import type { ClientWatcher } from "../mcp/mod.ts";

/** How long after it is first watched the answer to a request is to begin, in milliseconds. */
const BEGIN_MS = 70;

/**
 * Tells when the client of a request goes away before it was answered.
 *
 * Asking a request of `Deno.serve` for its signal costs as much as answering a small one, so only those that take
 * longer should be watched.
 *
 * The signal is not enough: as long as no answer has begun, Deno (2.8 and 2.9) misses every disconnect of a request
 * whose body came in a packet of its own, as those of some clients always do. Once it sends, it notices at once.
 *
 * @returns Stops it; to be called when the request was answered.
 */
export function watchClient({ signal }: Request, watcher: ClientWatcher): () => void {
  const gone = () => watcher.disconnected();
  const patience = setTimeout(() => watcher.begin(), BEGIN_MS);
  signal.addEventListener("abort", gone, { once: true });
  if (signal.aborted) queueMicrotask(gone);
  return () => {
    clearTimeout(patience);
    signal.removeEventListener("abort", gone);
  };
}

import type { ClientWatcher } from "../mcp/mod.ts";
import type { HttpRequest } from "../web/mod.ts";

/** Delay after which a watched request counts as slow, in milliseconds. */
const SLOW_MS = 70;

/**
 * Watches whether the client of a request disconnects before the response.
 *
 * For slow requests only: the first access to a request's signal costs as much as a small request.
 *
 * A slow response begins early, because proxies notice that a client is gone only while they send to it.
 *
 * @returns Stops watching; call it when the request has ended.
 */
export function watchClient({ signal }: HttpRequest, watcher: ClientWatcher): () => void {
  const onAbort = () => watcher.onDisconnect();
  const timer = setTimeout(() => watcher.onSlow(), SLOW_MS);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) queueMicrotask(onAbort);
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
}

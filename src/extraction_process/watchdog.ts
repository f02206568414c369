/** Options of {@linkcode startWatchdog}. */
export interface WatchdogOptions {
  /** The process is killed when its resident set exceeds this size, in bytes. */
  readonly maxRssBytes: number;
  /** Interval between two checks of the memory, in milliseconds. */
  readonly intervalMs: number;
}

/**
 * Reads frames from standard input on a thread, and kills this process when it exceeds its memory limit or its
 * parent ends, even while the main thread is in an endless loop.
 *
 * @returns The payloads of the frames, in order. Never ends: the process does.
 */
export function startWatchdog(options: WatchdogOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
  // A data: URL needs no permission. The thread gets its source as text, so the function cannot use imports.
  const source = `(${watch})(${JSON.stringify(options)})`;
  const thread = new Worker(`data:text/javascript,${encodeURIComponent(source)}`, { type: "module" });
  return new ReadableStream({
    start(controller) {
      thread.onmessage = ({ data }) => controller.enqueue(data);
      thread.onerror = ({ message }) => {
        controller.error(new Error(`The watchdog has failed: ${message}`));
      };
    },
  });
}

/** Body of the thread. */
async function watch({ maxRssBytes, intervalMs }: WatchdogOptions): Promise<void> {
  const scope = globalThis as unknown as { postMessage(message: unknown, transfer: Transferable[]): void };
  // A process may send a signal to itself without permission. SIGKILL does not wait for the main thread.
  const killProcess = () => Deno.kill(Deno.pid, "SIGKILL");
  setInterval(() => {
    if (Deno.memoryUsage().rss > maxRssBytes) killProcess();
  }, intervalMs);
  /** Returns whether standard input had enough bytes. */
  const fill = async (bytes: Uint8Array): Promise<boolean> => {
    for (let at = 0; at < bytes.byteLength;) {
      const count = await Deno.stdin.read(bytes.subarray(at));
      if (count === null) return false;
      at += count;
    }
    return true;
  };
  const header = new Uint8Array(4);
  while (await fill(header)) {
    const payload = new Uint8Array(new DataView(header.buffer).getUint32(0));
    if (!await fill(payload)) break;
    scope.postMessage(payload, [payload.buffer]);
  }
  killProcess();
}

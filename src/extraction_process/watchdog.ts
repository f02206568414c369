/** Maximum number of frames that are read ahead: a long text arrives in many. */
const MAX_UNREAD_FRAMES = 16;

/** Reader of the frames of standard input. */
export type FrameReader = Pick<ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>, "read">;

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
 * @returns Reader of the payloads of the frames, in order. It never ends: the process does.
 */
export function startWatchdog(options: WatchdogOptions): FrameReader {
  // A data: URL needs no permission. The thread gets its source as text, so the function cannot use imports.
  const source = `(${watch})(${JSON.stringify({ ...options, maxUnreadFrames: MAX_UNREAD_FRAMES })})`;
  const thread = new Worker(`data:text/javascript,${encodeURIComponent(source)}`, { type: "module" });
  const frames = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      thread.onmessage = ({ data }) => controller.enqueue(data);
      thread.onerror = ({ message }) => {
        controller.error(new Error(`The watchdog has failed: ${message}`));
      };
    },
  }).getReader();
  return {
    async read() {
      const frame = await frames.read();
      thread.postMessage("read");
      return frame;
    },
  };
}

/** Body of the thread. */
async function watch(
  { maxRssBytes, intervalMs, maxUnreadFrames }: WatchdogOptions & { readonly maxUnreadFrames: number },
): Promise<void> {
  const scope = globalThis as unknown as {
    postMessage(message: unknown, transfer: Transferable[]): void;
    onmessage: () => void;
  };
  // A process may send a signal to itself without permission. SIGKILL does not wait for the main thread.
  const killProcess = () => Deno.kill(Deno.pid, "SIGKILL");
  const parent = Deno.ppid;
  let unread = 0;
  let onRead = () => {};
  scope.onmessage = () => {
    unread--;
    onRead();
  };
  setInterval(() => {
    // While no frame is read, the end of standard input is not noticed.
    if (Deno.memoryUsage().rss > maxRssBytes || Deno.ppid !== parent) killProcess();
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
    unread++;
    while (unread >= maxUnreadFrames) await new Promise<void>((resolve) => onRead = resolve);
  }
  killProcess();
}

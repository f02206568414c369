import type { ThreadChannel } from "./thread_port.ts";
import { type FromThread, serializeError, type ToThread } from "./thread_protocol.ts";

/** Handles the requests of a {@linkcode ThreadClient} inside its thread. */
export interface ThreadService<Input, Output> {
  /** Processes one request. An error rejects this request only. */
  handle(input: Input): Output | Promise<Output>;
  /** Whether a request may begin while earlier ones await something. @default {false} */
  readonly isConcurrent?: boolean;
  /** Receives a notice of the client at once, even while requests are in progress. */
  receive?(notice: unknown): void;
  /** Releases resources before the thread is terminated. */
  close?(): void | Promise<void>;
}

/**
 * Creates the service from the settings of the client. An error fails the client.
 *
 * @param notify Sends a notice to the client at any time.
 */
export type OpenService<Settings, Input, Output, Notice> = (
  settings: Settings,
  notify: (notice: Notice) => void,
) => ThreadService<Input, Output> | Promise<ThreadService<Input, Output>>;

/**
 * Runs a service in a thread, one request at a time by default, until the owner terminates the thread.
 *
 * @example
 * ```ts ignore
 * serveThread(workerScopeChannel(self), (factor: number) => ({ handle: (n: number) => n * factor }));
 * ```
 */
export function serveThread<Settings, Input, Output, Notice = never>(
  channel: ThreadChannel,
  open: OpenService<Settings, Input, Output, Notice>,
): void {
  let service: ThreadService<Input, Output> | undefined;
  let previous: Promise<unknown> = Promise.resolve();
  const post = (message: FromThread) => channel.post(message);

  const process = async (message: Exclude<ToThread, { type: "notice" }>): Promise<void> => {
    switch (message.type) {
      case "open":
        try {
          service = await open(message.settings as Settings, (notice) => post({ type: "notice", notice }));
          return post({ type: "opened" });
        } catch (error) {
          return post({ type: "openFailed", error: serializeError(error) });
        }
      case "request":
        try {
          if (!service) throw new Error("The service must be open before a request");
          post({ type: "response", id: message.id, output: await service.handle(message.input as Input) });
        } catch (error) {
          post({ type: "error", id: message.id, error: serializeError(error) });
        }
        return;
      case "close":
        await service?.close?.();
        return post({ type: "closed" });
    }
  };

  channel.onMessage((received) => {
    const message = received as ToThread;
    if (message.type === "notice") service?.receive?.(message.notice);
    else if (message.type === "request" && service?.isConcurrent) void process(message);
    else previous = previous.then(() => process(message));
  });
  // After the listener is set: a message posted to a thread that does not listen yet is lost.
  post({ type: "ready" });
}

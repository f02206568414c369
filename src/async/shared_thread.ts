import { BufferedListener, type ThreadChannel, type ThreadPort } from "./thread_port.ts";

/** Messages from {@linkcode SharedThread} to {@linkcode serveServices}. */
type ToServices =
  | { readonly type: "connect"; readonly id: number; readonly service: string }
  | { readonly type: "message"; readonly id: number; readonly message: unknown }
  | { readonly type: "disconnect"; readonly id: number };

/** Messages from {@linkcode serveServices} to {@linkcode SharedThread}. */
type FromServices =
  /** The thread listens. Messages posted earlier are lost. */
  | { readonly type: "ready" }
  | { readonly type: "message"; readonly id: number; readonly message: unknown };

/** The owner's end of a connection to a service. */
interface Connection {
  readonly service: string;
  readonly messages: BufferedListener;
  readonly ends: BufferedListener;
}

/** A thread that runs. */
interface RunningThread {
  readonly port: ThreadPort;
  readonly connections: Map<number, Connection>;
  isReady: boolean;
}

/**
 * A thread with several services, for services that each need little of it: a thread takes over 10 MB.
 *
 * It starts with the first connection and ends with the last. A connection that is terminated while others are open
 * ends after the current task of the thread.
 */
export class SharedThread {
  readonly #spawn: () => ThreadPort;
  #running: RunningThread | undefined;
  #nextId = 0;

  /** @param spawn Starts a thread that calls {@linkcode serveServices}. */
  constructor(spawn: () => ThreadPort) {
    this.#spawn = spawn;
  }

  /** Connects to a new instance of a service, which calls `serveThread`. If the thread fails, all connections end. */
  connect(service: string): ThreadPort {
    const thread = this.#running ??= this.#start();
    const id = this.#nextId++;
    const connection = { service, messages: new BufferedListener(), ends: new BufferedListener() };
    thread.connections.set(id, connection);
    const post = (message: ToServices) => thread.port.post(message);
    if (thread.isReady) post({ type: "connect", id, service });
    return {
      post: (message) => post({ type: "message", id, message }),
      onMessage: (listener) => connection.messages.set(listener),
      onEnd: (listener) => connection.ends.set(listener),
      terminate: async () => {
        if (!thread.connections.delete(id)) return;
        if (thread.connections.size > 0) {
          if (thread.isReady) post({ type: "disconnect", id });
          return;
        }
        if (this.#running === thread) this.#running = undefined;
        await thread.port.terminate();
      },
    };
  }

  #start(): RunningThread {
    const thread: RunningThread = { port: this.#spawn(), connections: new Map(), isReady: false };
    thread.port.onMessage((message) => receive(thread, message as FromServices));
    thread.port.onEnd((cause) => {
      if (this.#running === thread) this.#running = undefined;
      for (const { ends } of [...thread.connections.values()]) ends.call(cause);
    });
    return thread;
  }
}

function receive(thread: RunningThread, message: FromServices): void {
  if (message.type === "message") {
    thread.connections.get(message.id)?.messages.call(message.message);
    return;
  }
  thread.isReady = true;
  for (const [id, { service }] of thread.connections) {
    thread.port.post({ type: "connect", id, service } satisfies ToServices);
  }
}

/**
 * Runs services in the thread of a {@linkcode SharedThread}.
 *
 * @param services Start each service by its name. An error, also of a promise, ends the thread.
 */
export function serveServices(
  channel: ThreadChannel,
  services: Readonly<Record<string, (channel: ThreadChannel) => void | Promise<void>>>,
): void {
  const listeners = new Map<number, (message: unknown) => void>();
  const post = (message: FromServices) => channel.post(message);
  channel.onMessage((received) => {
    const message = received as ToServices;
    const { id } = message;
    switch (message.type) {
      case "connect":
        listeners.set(id, () => {});
        return services[message.service]?.({
          post: (message) => post({ type: "message", id, message }),
          onMessage: (listener) => listeners.has(id) && listeners.set(id, listener),
        });
      case "message":
        return listeners.get(id)?.(message.message);
      case "disconnect":
        listeners.delete(id);
    }
  });
  // After the listener is set: a message posted to a thread that does not listen yet is lost.
  post({ type: "ready" });
}

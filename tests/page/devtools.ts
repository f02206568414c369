/** A connection to Chromium by the DevTools protocol: commands with their results, and events. */
export class DevTools implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  readonly #listeners = new Set<(event: DevToolsEvent) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(data)));
    socket.addEventListener("close", () => {
      for (const { reject } of this.#pending.values()) {
        reject(new Error("Chromium has closed the connection"));
      }
    });
  }

  /** Connects to the address that Chromium prints. */
  static async connect(url: string): Promise<DevTools> {
    const socket = new WebSocket(url);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.addEventListener("open", () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error(`Cannot connect to ${url}`)), { once: true });
    await promise;
    return new DevTools(socket);
  }

  /** @throws {Error} With the message of Chromium. */
  // deno-lint-ignore no-explicit-any -- results are read by the few commands that the tests send
  async send(method: string, params: Record<string, unknown> = {}, sessionId?: string): Promise<any> {
    const id = ++this.#lastId;
    const pending = Promise.withResolvers<Record<string, unknown>>();
    this.#pending.set(id, pending);
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
    return await pending.promise;
  }

  onEvent(listener: (event: DevToolsEvent) => void): void {
    this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise((resolve) => this.#socket.addEventListener("close", resolve, { once: true }));
    this.#socket.close();
    await closed;
  }

  #receive(message: DevToolsMessage): void {
    if (message.id === undefined) {
      for (const listener of this.#listeners) listener(message as DevToolsEvent);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error) pending?.reject(new Error(message.error.message));
    else pending?.resolve(message.result ?? {});
  }
}

/** An event of a session. */
export interface DevToolsEvent {
  readonly method: string;
  // deno-lint-ignore no-explicit-any -- as results
  readonly params: any;
  readonly sessionId?: string;
}

interface DevToolsMessage {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

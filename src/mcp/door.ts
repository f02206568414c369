import { errorMessage, readMessage } from "./json_rpc.ts";
import type { CallContext, Protocol2025, ServerDescription, SharedContext } from "./protocol_2025.ts";

/** What to answer over HTTP. */
export interface Answer {
  /** 200 with a body; 202 without one; 400 for what is no JSON-RPC message. */
  readonly status: 200 | 202 | 400;
  /** JSON text, or null. */
  readonly body: string | null;
}

const ACCEPTED: Answer = { status: 202, body: null };

/**
 * The way from a body to the protocol server that speaks its revision.
 *
 * The protocol servers are loaded when they are first needed: the SDK takes longer to load than all the rest, and a
 * server that listens already loses nobody's request meanwhile.
 */
export class McpDoor implements AsyncDisposable {
  readonly #description: ServerDescription;
  readonly #shared: SharedContext;
  #loading: Promise<Protocol2025> | undefined;
  #protocol2025: Protocol2025 | undefined;

  constructor(description: ServerDescription, shared: SharedContext) {
    this.#description = description;
    this.#shared = shared;
  }

  /** Loads now what the first request would have to wait for. */
  async warmUp(): Promise<void> {
    await this.#load();
  }

  /** Requests in progress. */
  get pending(): number {
    return this.#protocol2025?.pending ?? 0;
  }

  /**
   * Answers one message.
   *
   * @param body The bytes of the HTTP body: one JSON-RPC message.
   * @param call Who calls, and by which address.
   */
  async handle(body: Uint8Array, call: CallContext): Promise<Answer> {
    const inbound = readMessage(body);
    switch (inbound.kind) {
      case "one_way":
        return ACCEPTED;
      case "invalid":
        return { status: 400, body: errorMessage(inbound.code, inbound.message, inbound.id) };
      case "request":
        return {
          status: 200,
          body: await (this.#protocol2025 ?? await this.#load()).handle(inbound.request, call),
        };
    }
  }

  /** Ends the protocol servers and aborts what still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#loading)?.[Symbol.asyncDispose]();
  }

  #load(): Promise<Protocol2025> {
    return this.#loading ??= (async () => {
      const { Protocol2025 } = await import("./protocol_2025.ts");
      return this.#protocol2025 = await Protocol2025.start(this.#description, this.#shared);
    })();
  }
}

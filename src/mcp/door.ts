import { errorMessage, readMessage } from "./json_rpc.ts";
import {
  type CallContext,
  Protocol2025,
  type ServerDescription,
  type SharedContext,
} from "./protocol_2025.ts";

/** What to answer over HTTP. */
export interface Answer {
  /** 200 with a body; 202 without one; 400 for what is no JSON-RPC message. */
  readonly status: 200 | 202 | 400;
  /** JSON text, or null. */
  readonly body: string | null;
}

const ACCEPTED: Answer = { status: 202, body: null };

/** The way from a body to the protocol server that speaks its revision. */
export class McpDoor implements AsyncDisposable {
  readonly #protocol2025: Protocol2025;

  private constructor(protocol2025: Protocol2025) {
    this.#protocol2025 = protocol2025;
  }

  /** Starts the protocol servers. */
  static async open(description: ServerDescription, shared: SharedContext): Promise<McpDoor> {
    return new McpDoor(await Protocol2025.start(description, shared));
  }

  /** Requests in progress. */
  get pending(): number {
    return this.#protocol2025.pending;
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
        return { status: 200, body: await this.#protocol2025.handle(inbound.request, call) };
    }
  }

  /** Ends the protocol servers and aborts what still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#protocol2025[Symbol.asyncDispose]();
  }
}

import { ACCEPTED, type Answer } from "./answer.ts";
import { tellEra } from "./eras.ts";
import { errorMessage, type Inbound, RPC, type RpcRequest } from "./json_rpc.ts";
import { Lazy } from "./lazy.ts";
import type { Protocol2025 } from "./protocol_2025.ts";
import type { Protocol2026 } from "./protocol_2026.ts";
import type { CallContext, ServerDescription, SharedContext } from "./server_description.ts";
import { unsupportedVersion } from "./unsupported_version.ts";

type Params = Readonly<Record<string, unknown>>;

/**
 * The way from a message to the protocol server that speaks its revision.
 *
 * The protocol servers are loaded when they are first needed: an SDK takes longer to load than all the rest, and a
 * server that listens already loses nobody's request meanwhile.
 */
export class McpDoor implements AsyncDisposable {
  readonly #protocol2025: Lazy<Protocol2025>;
  readonly #protocol2026: Lazy<Protocol2026>;

  constructor(description: ServerDescription, shared: SharedContext) {
    this.#protocol2025 = new Lazy(async () => {
      const { Protocol2025 } = await import("./protocol_2025.ts");
      return await Protocol2025.start(description, shared);
    });
    this.#protocol2026 = new Lazy(async () => {
      const { Protocol2026 } = await import("./protocol_2026.ts");
      return await Protocol2026.start(description, shared);
    });
  }

  /** Loads now what the first request would have to wait for. */
  async warmUp(): Promise<void> {
    await this.#protocol2025.load();
    await this.#protocol2026.load();
  }

  /** Requests in progress. */
  get pending(): number {
    return (this.#protocol2025.loaded?.pending ?? 0) + (this.#protocol2026.loaded?.pending ?? 0);
  }

  /**
   * Answers one message.
   *
   * @param inbound As {@linkcode readMessage} read it.
   * @param call Who calls, by which address, with which headers.
   */
  handle(inbound: Inbound, call: CallContext): Promise<Answer> | Answer {
    const version = call.headers.get("mcp-protocol-version");
    switch (inbound.kind) {
      case "invalid":
        return { status: 400, body: errorMessage(inbound.code, inbound.message, inbound.id) };
      case "response":
        // Of the modern era no client answers anything, since no server asks; before, it was to be taken in silence.
        return tellEra(undefined, version) === "2025" ? ACCEPTED : {
          status: 400,
          body: errorMessage(
            RPC.invalidRequest,
            "Invalid request: this server asks nothing, send no responses",
          ),
        };
      case "notification":
        return this.#take(inbound.method, inbound.params, version, call);
      case "request":
        return this.#answer(inbound.request, version, call);
    }
  }

  /** Ends the protocol servers and aborts what still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#protocol2025.loading)?.[Symbol.asyncDispose]();
    await (await this.#protocol2026.loading)?.[Symbol.asyncDispose]();
  }

  #take(method: string, params: Params, version: string | null, call: CallContext): Answer {
    const era = tellEra(params, version);
    if (era === "unknown") return unsupportedVersion(String(version));
    if (era === "2025" && method === "notifications/cancelled") {
      this.#protocol2025.loaded?.cancel(params, call);
    }
    return ACCEPTED;
  }

  #answer(request: RpcRequest, version: string | null, call: CallContext): Promise<Answer> | Answer {
    const era = tellEra(request.params, version);
    if (era === "unknown") return unsupportedVersion(String(version), request.id);
    const protocol: Lazy<Protocol2025> | Lazy<Protocol2026> = era === "2025"
      ? this.#protocol2025
      : this.#protocol2026;
    return protocol.loaded?.handle(request, version, call) ??
      protocol.load().then((loaded) => loaded.handle(request, version, call));
  }
}

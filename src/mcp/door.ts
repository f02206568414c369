import { ACCEPTED, type Answer } from "./answer.ts";
import { tellEra } from "./eras.ts";
import { errorMessage, type Inbound, RPC, type RpcRequest } from "./json_rpc.ts";
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
  readonly #description: ServerDescription;
  readonly #shared: SharedContext;
  #loading2025: Promise<Protocol2025> | undefined;
  #loading2026: Promise<Protocol2026> | undefined;
  #protocol2025: Protocol2025 | undefined;
  #protocol2026: Protocol2026 | undefined;

  constructor(description: ServerDescription, shared: SharedContext) {
    this.#description = description;
    this.#shared = shared;
  }

  /** Loads now what the first request would have to wait for. */
  async warmUp(): Promise<void> {
    await this.#load2025();
    await this.#load2026();
  }

  /** Requests in progress. */
  get pending(): number {
    return (this.#protocol2025?.pending ?? 0) + (this.#protocol2026?.pending ?? 0);
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
    await (await this.#loading2025)?.[Symbol.asyncDispose]();
    await (await this.#loading2026)?.[Symbol.asyncDispose]();
  }

  #take(method: string, params: Params, version: string | null, call: CallContext): Answer {
    const era = tellEra(params, version);
    if (era === "unknown") return unsupportedVersion(String(version));
    if (era === "2025" && method === "notifications/cancelled") this.#protocol2025?.cancel(params, call);
    return ACCEPTED;
  }

  #answer(request: RpcRequest, version: string | null, call: CallContext): Promise<Answer> | Answer {
    switch (tellEra(request.params, version)) {
      case "2025":
        return this.#protocol2025?.handle(request, version, call) ??
          this.#load2025().then((protocol) => protocol.handle(request, version, call));
      case "2026":
        return this.#protocol2026?.handle(request, version, call) ??
          this.#load2026().then((protocol) => protocol.handle(request, version, call));
      case "unknown":
        return unsupportedVersion(String(version), request.id);
    }
  }

  #load2025(): Promise<Protocol2025> {
    return this.#loading2025 ??= (async () => {
      const { Protocol2025 } = await import("./protocol_2025.ts");
      return this.#protocol2025 = await Protocol2025.start(this.#description, this.#shared);
    })();
  }

  #load2026(): Promise<Protocol2026> {
    return this.#loading2026 ??= (async () => {
      const { Protocol2026 } = await import("./protocol_2026.ts");
      return this.#protocol2026 = await Protocol2026.start(this.#description, this.#shared);
    })();
  }
}

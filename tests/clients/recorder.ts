/** What passed on its way to the server. */
export interface Passed {
  /** JSON-RPC method; undefined for a request without a body, or with an answer in it. */
  readonly rpcMethod: string | undefined;
  /** The header `MCP-Protocol-Version`. */
  readonly version: string | undefined;
}

/**
 * A proxy that lets everything through and remembers what it was: a client says which era it speaks by what it sends.
 */
export class Recorder implements AsyncDisposable {
  readonly passed: Passed[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** @param target Base URL of the server behind it. */
  constructor(target: string) {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      const body = await request.text();
      this.#remember(request.headers, body);
      const headers = new Headers(request.headers);
      headers.delete("host");
      const { pathname, search } = new URL(request.url);
      const { method, signal } = request;
      return await fetch(`${target}${pathname}${search}`, {
        method,
        headers,
        signal,
        ...(body === "" ? {} : { body }),
      });
    });
  }

  /** Base URL of the proxy. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  #remember(headers: Headers, body: string): void {
    const method: unknown = body === "" ? undefined : JSON.parse(body).method;
    this.passed.push({
      rpcMethod: typeof method === "string" ? method : undefined,
      version: headers.get("mcp-protocol-version") ?? undefined,
    });
  }
}

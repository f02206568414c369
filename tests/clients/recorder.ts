/** A recorded HTTP request. */
export interface RecordedRequest {
  /** JSON-RPC method; undefined without a body, or with a JSON-RPC response in it. */
  readonly rpcMethod: string | undefined;
  /** Value of the `MCP-Protocol-Version` header. */
  readonly version: string | undefined;
}

/** A proxy that records the requests: they show which protocol version a client uses. */
export class Recorder implements AsyncDisposable {
  readonly requests: RecordedRequest[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** @param target Base URL of the server. */
  constructor(target: string) {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      const body = await request.text();
      this.#record(request.headers, body);
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

  #record(headers: Headers, body: string): void {
    const method: unknown = body === "" ? undefined : JSON.parse(body).method;
    this.requests.push({
      rpcMethod: typeof method === "string" ? method : undefined,
      version: headers.get("mcp-protocol-version") ?? undefined,
    });
  }
}

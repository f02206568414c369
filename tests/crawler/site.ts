import { Fetcher, type FetcherOptions } from "../../src/crawler/mod.ts";

/** A website on this machine. */
export interface TestSite extends AsyncDisposable {
  /** With a `/` at its end. */
  readonly url: string;
  /** `host:port`, for `allowedHosts`. */
  readonly host: string;
  /** Paths with their queries, in the order of the requests. */
  readonly requests: string[];
}

/** Content of a page, or what the server does for it. */
export type TestPage = string | Response | ((request: Request) => Response | Promise<Response>);

/** Starts a website. Text is HTML, or what the extension of its path says; other paths are missing. */
export function startSite(pages: Record<string, TestPage>): TestSite {
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    requests.push(pathname + search);
    const page = pages[pathname + search] ?? pages[pathname];
    if (page === undefined) return new Response("missing", { status: 404 });
    if (page instanceof Response) return page.clone();
    if (typeof page === "function") return await page(request);
    const type = /\.(?:txt|xml|md)$/.exec(pathname)?.[0];
    const types: Record<string, string> = {
      ".txt": "text/plain",
      ".xml": "application/xml",
      ".md": "text/markdown",
    };
    return new Response(page, { headers: { "content-type": types[type ?? ""] ?? "text/html" } });
  });
  const host = `127.0.0.1:${server.addr.port}`;
  return { url: `http://${host}/`, host, requests, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Writes a part of a response. Fails when the client has closed the connection. */
export type Send = (part: string | Uint8Array<ArrayBuffer>) => Promise<void>;

/** Starts a server that writes any bytes as the response to each request but that for robots.txt. */
export function startRawServer(respond: (send: Send) => Promise<void>): TestSite {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.Conn>();
  const requests: string[] = [];
  const serve = async (connection: Deno.Conn) => {
    connections.add(connection);
    const writer = connection.writable.getWriter();
    const send: Send = (part) =>
      writer.write(typeof part === "string" ? new TextEncoder().encode(part) : part);
    try {
      const buffer = new Uint8Array(4096);
      const length = await connection.read(buffer) ?? 0;
      const path = new TextDecoder().decode(buffer.subarray(0, length)).split(" ", 2)[1] ?? "";
      requests.push(path);
      if (path === "/robots.txt") await send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
      else await respond(send);
      await writer.close();
    } catch {
      // The client has closed the connection, as it should.
    }
  };
  const tasks: Promise<void>[] = [];
  const accepted = (async () => {
    for await (const connection of listener) tasks.push(serve(connection));
  })();
  const host = `127.0.0.1:${listener.addr.port}`;
  return {
    url: `http://${host}/`,
    host,
    requests,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of connections) {
        try {
          connection.close();
        } catch {
          // Its writer has closed it.
        }
      }
      await Promise.allSettled([accepted, ...tasks]);
    },
  };
}

/** Creates a fetcher without delays that may reach the given sites. */
export function testFetcher(sites: readonly TestSite[], options: Partial<FetcherOptions> = {}): Fetcher {
  const allowedHosts = sites.map(({ host }) => host);
  return new Fetcher({ userAgent: "kb-mcp/1.2.3", delayMs: 0, allowedHosts, ...options });
}

import { assertEquals } from "@std/assert";

/** Fetches from a server of this process, whose port is free. */
const SCRIPT = `
import { Fetcher } from "./src/crawler/mod.ts";
const html = { headers: { "content-type": "text/html" } };
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => new Response("direct", html));
const host = "127.0.0.1:" + server.addr.port;
const result = await new Fetcher({ userAgent: "kb-mcp/1", allowedHosts: [host] }).fetch("http://" + host + "/page");
console.log(result.status);
await server.shutdown();
`;

Deno.test("proxies of the environment are not used, since they would choose the address", async () => {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", "--quiet", SCRIPT],
    env: { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:9", NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stdout), "fetched\n", new TextDecoder().decode(stderr));
});

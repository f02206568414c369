import { assertEquals } from "@std/assert";
import { excludeLoopback } from "../../src/cli/proxy.ts";
import { RUN_PERMISSIONS } from "../../scripts/permissions.ts";
import { startTestServer } from "../support/server.ts";

function excluded(env: Record<string, string>): string | undefined {
  const variables = new Map(Object.entries(env));
  excludeLoopback({
    get: (name) => variables.get(name),
    set: (name, value) => void variables.set(name, value),
  });
  return variables.get("NO_PROXY");
}

Deno.test("this machine is added to the hosts without a proxy", () => {
  assertEquals(excluded({}), "localhost,127.0.0.0/8,::1");
  assertEquals(excluded({ NO_PROXY: "" }), "localhost,127.0.0.0/8,::1");
  assertEquals(excluded({ no_proxy: ".corp" }), ".corp,localhost,127.0.0.0/8,::1");
  assertEquals(excluded({ NO_PROXY: "a,b", no_proxy: "c" }), "a,b,localhost,127.0.0.0/8,::1");
});

Deno.test("the program with its permissions sends requests to this machine past the proxy of the environment", async () => {
  await using server = await startTestServer();
  // A proxy that nothing listens at.
  const proxy = "http://127.0.0.1:1";
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", ...RUN_PERMISSIONS, "main.ts", "healthcheck"],
    env: { HTTP_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: "", KB_MCP_PORT: new URL(server.url).port },
  }).output();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
});

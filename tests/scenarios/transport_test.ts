import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parse } from "yaml";
import { loadConfig, SETTINGS } from "../../src/config/mod.ts";
import { tools } from "../../src/tools/mod.ts";
import { connectAgent } from "../support/mcp_client.ts";
import { unusedPort } from "../support/ports.ts";
import type { RecordedCall } from "../support/recorder.ts";
import { serveEngine } from "../support/serve_engine.ts";
import { startTestServer } from "../support/server.ts";

const TRANSPORT = "MCP server transport and deployment";

Deno.test(`${TRANSPORT} / MCP server starts and connects to engine: Streamable HTTP, with that URL and key`, async () => {
  const calls: RecordedCall[] = [];
  await using engine = await serveEngine({ engine: { apiKey: "secret" }, calls });
  await using server = await startTestServer({ env: { KB_ENGINE_URL: engine.url, KB_API_KEY: "secret" } });
  await using agent = await connectAgent(server.url);

  assertEquals((await agent.client.listTools()).tools.length, tools.length);
  const added = await agent.call("kb_addnote", { text: "The key opens the engine." });
  const found = await agent.call("kb_search", { query: "which key opens the engine" });

  assertEquals([added.isError, found.isError], [false, false]);
  assertStringIncludes(found.text, "The key opens the engine.");
  assert(calls.length >= 3);
  for (const { url, headers } of calls) {
    assertEquals(url.origin, engine.url);
    assertEquals(headers.get("authorization"), "Bearer secret");
  }
});

Deno.test(`${TRANSPORT} / Engine unreachable at startup: starts, tools report it, and it recovers`, async () => {
  const port = unusedPort();
  const address = `http://127.0.0.1:${port}`;
  await using server = await startTestServer({ env: { KB_ENGINE_URL: address } });
  await using agent = await connectAgent(server.url);

  for (
    const [tool, args] of [["kb_status", {}], ["kb_search", { query: "x" }], ["kb_addnote", {
      text: "x",
    }]] as const
  ) {
    const output = await agent.call(tool, args);
    assert(output.isError, `${tool} must be an error`);
    assertMatch(output.text, /unreachable/i);
    assertStringIncludes(output.text, address);
  }

  await using _engine = await serveEngine({ port });
  assertEquals((await agent.call("kb_status")).isError, false);
});

Deno.test(`${TRANSPORT} / Docker Compose deployment: mcp reaches the engine by its service name`, async () => {
  interface Service {
    environment?: Record<string, string | null>;
    ports?: string[];
    image?: string;
    command?: string | string[];
  }
  const text = await Deno.readTextFile(new URL("../../compose.yaml", import.meta.url));
  const file = parse(text, { merge: true });
  const { engine, mcp } = file.services as Record<string, Service>;
  assert(engine && mcp);

  const env = Object.fromEntries(
    Object.entries(mcp.environment ?? {}).flatMap(([name, value]) =>
      value === null ? [] : [[name, interpolate(String(value))]] // null: passed on if it is set
    ),
  );
  const config = loadConfig({ env: (name) => env[name], readFile: () => "" });
  assertEquals(config.KB_ENGINE_URL, "http://engine:8000");
  assertEquals(SETTINGS.KB_ENGINE_PORT.default, "8000");
  assertEquals(engine.ports, undefined, "only the MCP port is published");
  assertEquals(mcp.ports?.length, 1);
});

/** Expands `${NAME:-default}` as Compose does when NAME is unset, and `${NAME:?message}` to a value. */
function interpolate(value: string): string {
  return value.replace(
    /\$\{\w+:([-?])([^}]*)\}/g,
    (_, kind, text) => kind === "?" ? "a-value-that-is-required" : text,
  );
}

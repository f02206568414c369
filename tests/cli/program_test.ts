import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { SETTINGS } from "../../src/config/mod.ts";
import { VERSION } from "../../src/version.ts";
import { runProgram, startProgram } from "../support/program.ts";

async function temporaryDirectory() {
  const path = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("--help names every command and every setting", async () => {
  const { code, stdout } = await runProgram(["--help"]);
  assertEquals(code, 0);
  for (const name of ["serve", "engine", "healthcheck", ...Object.keys(SETTINGS)]) {
    assertStringIncludes(stdout, name);
  }
});

Deno.test("--version prints the version", async () => {
  assertEquals(await runProgram(["--version"]), { code: 0, stdout: `kb-mcp ${VERSION}\n`, stderr: "" });
});

Deno.test("an unknown command and a bad setting exit with 64 and say what to do, without a stack", async () => {
  const unknown = await runProgram(["sevre"]);
  assertEquals([unknown.code, unknown.stdout], [64, ""]);
  assertMatch(unknown.stderr, /^kb-mcp: Unknown command "sevre": "kb-mcp --help" lists the commands\n$/);
  const badPort = await runProgram(["serve"], { KB_MCP_PORT: "eighty" });
  assertEquals(badPort.code, 64);
  assertMatch(badPort.stderr, /^kb-mcp: KB_MCP_PORT must be a port .*, got "eighty"\n$/);
});

Deno.test("SIGTERM and SIGINT end the server with status 0, and nothing staged is left", async () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    await using data = await temporaryDirectory();
    await using temp = await temporaryDirectory();
    await using server = await startProgram(["serve"], { KB_DATA_DIR: data.path, TMPDIR: temp.path });
    const staged = await callTool(server.url, "kb_upload_start", { filename: "a.txt", total_size: 3 });
    await callTool(server.url, "kb_upload_chunk", {
      upload_id: staged["upload_id"],
      chunk_index: 0,
      data: "YQ==",
    });
    assert((await Array.fromAsync(Deno.readDir(temp.path))).length > 0);
    server.child.kill(signal);
    assertEquals((await server.child.status).code, 0);
    assertEquals(await Array.fromAsync(Deno.readDir(temp.path)), []);
    assertStringIncludes(await server.stderr, "stopped");
  }
});

Deno.test("a request that never ends does not keep the server from ending with status 0", async () => {
  await using data = await temporaryDirectory();
  await using server = await startProgram(["serve"], { KB_DATA_DIR: data.path, KB_MCP_BODY_TIMEOUT: "1h" });
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(server.url).port) });
  const head =
    "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{";
  await connection.write(new TextEncoder().encode(head));
  // Its answer comes on another connection only when the first one has been read.
  assertEquals((await fetch(`${server.url}/healthz`).then((response) => response.json())).status, "ok");
  server.child.kill("SIGTERM");
  assertEquals((await server.child.status).code, 0);
});

Deno.test("the same Ctrl-C that comes twice, from the terminal and from npx, is one", async () => {
  await using data = await temporaryDirectory();
  await using server = await startProgram(["serve"], { KB_DATA_DIR: data.path });
  server.child.kill("SIGINT");
  server.child.kill("SIGINT");
  assertEquals((await server.child.status).code, 0);
  assertStringIncludes(await server.stderr, "stopped");
});

Deno.test("a mistyped setting is told, and a missing key is said where the server says that it is ready", async () => {
  await using data = await temporaryDirectory();
  await using server = await startProgram(["serve"], { KB_DATA_DIR: data.path, KB_MCP_APIKEY: "x" });
  server.child.kill("SIGTERM");
  assertStringIncludes(
    await server.stderr,
    "unknown setting, it has no effect: see kb-mcp --help name=KB_MCP_APIKEY",
  );
});

Deno.test("a second server on the same data directory is refused with what to do", async () => {
  await using data = await temporaryDirectory();
  await using _first = await startProgram(["serve"], { KB_DATA_DIR: data.path });
  const second = await runProgram(["serve"], { KB_DATA_DIR: data.path });
  assert(second.code !== 0);
  assertMatch(second.stderr, /in use by another kb-mcp process/);
  assertEquals(second.stderr.includes("    at "), false);
});

Deno.test("a port that is taken is refused with its setting", async () => {
  await using data = await temporaryDirectory();
  await using first = await startProgram(["engine"], { KB_DATA_DIR: data.path });
  await using other = await temporaryDirectory();
  const env = { KB_DATA_DIR: other.path, KB_MCP_PORT: new URL(first.url).port };
  const second = await runProgram(["serve"], env);
  assertEquals(second.code, 64);
  assertMatch(
    second.stderr,
    /KB_MCP_HOST and KB_MCP_PORT must name an address that can be bound.*the port is in use/,
  );
});

Deno.test("healthcheck exits 0 beside a running server and 1 without one", async () => {
  await using data = await temporaryDirectory();
  const server = await startProgram(["serve"], { KB_DATA_DIR: data.path });
  const env = { KB_MCP_PORT: new URL(server.url).port };
  try {
    assertEquals((await runProgram(["healthcheck"], env)).code, 0);
  } finally {
    await server[Symbol.asyncDispose]();
  }
  const { code, stderr } = await runProgram(["healthcheck"], env);
  assertEquals(code, 1);
  assertMatch(stderr, /healthz did not answer/);
});

Deno.test("the engine answers loopback names only, and no browser pages", async () => {
  await using data = await temporaryDirectory();
  await using engine = await startProgram(["engine"], { KB_DATA_DIR: data.path });
  const ask = async (headers: Record<string, string>) => {
    const response = await fetch(`${engine.url}/api/v1/status`, { headers });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await ask({}), 200);
  assertEquals(await ask({ origin: "https://evil.example" }), 403);
});

async function callTool(
  url: string,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  return (await response.json()).result.structuredContent;
}

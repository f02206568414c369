import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { SETTINGS } from "../../src/config/mod.ts";
import { VERSION } from "../../src/version.ts";
import { runProgram, startProgram } from "../support/program.ts";

async function temporaryDirectory() {
  const path = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("--help gives an overview of all commands, and config --help every setting", async () => {
  const { code, stdout } = await runProgram(["--help"]);
  assertEquals(code, 0);
  for (const name of ["serve", "engine", "healthcheck", "search", "kb-mcp config --help"]) {
    assertStringIncludes(stdout, name);
  }
  assert(stdout.split("\n").length < 80, `${stdout.split("\n").length} lines`);
  const settings = (await runProgram(["config", "--help"])).stdout;
  for (const name of Object.keys(SETTINGS)) assertStringIncludes(settings, name);
});

Deno.test("--version prints the version", async () => {
  assertEquals(await runProgram(["--version"]), { code: 0, stdout: `kb-mcp ${VERSION}\n`, stderr: "" });
});

Deno.test("an unknown command and an invalid setting exit with 64 and a message, without a stack trace", async () => {
  const unknown = await runProgram(["sevre"]);
  assertEquals([unknown.code, unknown.stdout], [64, ""]);
  assertMatch(
    unknown.stderr,
    /^kb-mcp: Unknown command "sevre" \(did you mean serve\?\): see "kb-mcp --help"\n$/,
  );
  const badPort = await runProgram(["serve"], { KB_MCP_PORT: "eighty" });
  assertEquals(badPort.code, 64);
  assertMatch(badPort.stderr, /^kb-mcp: KB_MCP_PORT must be a port .*, got "eighty"\n$/);
});

Deno.test("SIGTERM and SIGINT stop the server with status 0 and leave no staged files", async () => {
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

Deno.test("the server stops with status 0 while a request never ends", async () => {
  await using data = await temporaryDirectory();
  await using server = await startProgram(["serve"], { KB_DATA_DIR: data.path, KB_MCP_BODY_TIMEOUT: "1h" });
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(server.url).port) });
  const head =
    "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{";
  await connection.write(new TextEncoder().encode(head));
  // The response on this connection comes after the server has read from the other one.
  assertEquals((await fetch(`${server.url}/healthz`).then((response) => response.json())).status, "ok");
  server.child.kill("SIGTERM");
  assertEquals((await server.child.status).code, 0);
});

Deno.test("a Ctrl-C that arrives twice, from the terminal and from npx, counts once", async () => {
  await using data = await temporaryDirectory();
  await using server = await startProgram(["serve"], { KB_DATA_DIR: data.path });
  server.child.kill("SIGINT");
  server.child.kill("SIGINT");
  assertEquals((await server.child.status).code, 0);
  assertStringIncludes(await server.stderr, "stopped");
});

Deno.test("a mistyped setting is logged", async () => {
  await using data = await temporaryDirectory();
  await using server = await startProgram(["serve"], { KB_DATA_DIR: data.path, KB_MCP_APIKEY: "x" });
  server.child.kill("SIGTERM");
  assertStringIncludes(
    await server.stderr,
    '"event":"unknown setting has no effect: did you mean KB_MCP_API_KEY?","name":"KB_MCP_APIKEY"',
  );
});

Deno.test("a second server on the same data directory fails with a message that says what to do", async () => {
  await using data = await temporaryDirectory();
  await using first = await startProgram(["serve"], { KB_DATA_DIR: data.path });
  for (const command of ["serve", "vacuum"]) {
    const second = await runProgram([command], { KB_DATA_DIR: data.path });
    assertEquals(second.code, 64);
    assertStringIncludes(
      second.stderr,
      `is in use by the kb-mcp server with the process id ${first.child.pid}: stop it, or set KB_DATA_DIR`,
    );
    assertEquals(second.stderr.includes("    at "), false);
  }
});

Deno.test("a port in use is reported with its setting", async () => {
  await using data = await temporaryDirectory();
  await using first = await startProgram(["engine"], { KB_DATA_DIR: data.path });
  await using other = await temporaryDirectory();
  const env = { KB_DATA_DIR: other.path, KB_MCP_PORT: new URL(first.url).port };
  const second = await runProgram(["serve"], env);
  assertEquals(second.code, 64);
  assertMatch(
    second.stderr,
    /KB_MCP_HOST and KB_MCP_PORT must be an address that can be bound.*the port is in use/,
  );
});

Deno.test("healthcheck exits with 0 when the server runs and with 1 when it does not", async () => {
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
  assertMatch(stderr, /Cannot reach http:.*\/healthz: [^:]*refused[^:]*Check that the server runs/);
});

/** Sends a request with these headers; returns the status and the body. fetch() cannot set Host. */
async function getStatus(
  url: string,
  headers: string,
  target = "/api/v1/status",
): Promise<[status: number, body: string]> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
  const request = `GET ${target} HTTP/1.1\r\nconnection: close\r\n${headers}\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const response = await new Response(connection.readable).text();
  const [head = "", body = ""] = response.split("\r\n\r\n");
  return [Number(head.split(" ")[1]), body];
}

Deno.test("the engine serves loopback names only, and no web pages", async () => {
  await using data = await temporaryDirectory();
  await using engine = await startProgram(["engine"], { KB_DATA_DIR: data.path });
  assertEquals((await getStatus(engine.url, "host: localhost"))[0], 200);
  const [status, body] = await getStatus(engine.url, "host: kb.example");
  assertEquals([status, JSON.parse(body).error.code], [403, "host_not_allowed"]);
  assertStringIncludes(body, "KB_ENGINE_ALLOWED_HOSTS");
  const page = await getStatus(engine.url, "host: localhost\r\norigin: https://evil.example");
  assertEquals([page[0], JSON.parse(page[1]).error.code], [403, "host_not_allowed"]);
});

Deno.test("a malformed request target is the client's error, not one in the engine's log", async () => {
  await using data = await temporaryDirectory();
  await using engine = await startProgram(["engine"], { KB_DATA_DIR: data.path });
  const [status, body] = await getStatus(engine.url, "host: localhost", "http://[bad/api/v1/status");
  assertEquals([status, JSON.parse(body).error.code], [400, "invalid"]);
});

Deno.test("KB_ENGINE_ALLOWED_HOSTS adds Host names to the loopback ones", async () => {
  await using data = await temporaryDirectory();
  const env = { KB_DATA_DIR: data.path, KB_ENGINE_ALLOWED_HOSTS: "kb.example,other.example:8443" };
  await using engine = await startProgram(["engine"], env);
  const statuses: number[] = [];
  for (const host of ["kb.example", "kb.example:8000", "127.0.0.1", "other.example", "other.example:8443"]) {
    statuses.push((await getStatus(engine.url, `host: ${host}`))[0]);
  }
  assertEquals(statuses, [200, 200, 200, 403, 200]);
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

Deno.test({
  name: "a path that Deno protects ends a command with one line and status 64",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const { code, stderr } = await runProgram(["serve"], { KB_DATA_DIR: "/proc/x", KB_MCP_PORT: "0" });
    assertEquals(code, 64);
    assertMatch(
      stderr,
      /^kb-mcp: Cannot use "\/proc\/x.*": kb-mcp has no permission for this path.*\n$/m,
    );
    assert(!/NotCapable|allow-all/.test(stderr));
  },
});

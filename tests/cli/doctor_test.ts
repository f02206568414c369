import { assertEquals, assertMatch } from "@std/assert";
import { startTestServer } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { runCommand } from "./run_command.ts";

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly message: string;
  readonly fix?: string;
}

/** Runs `kb-mcp doctor`. Returns its checks by name. */
async function doctor(env: Record<string, string>) {
  const { code, stdout } = await runCommand(["doctor"], { KB_EMBEDDINGS_MODEL: "off", ...env });
  const { healthy, checks }: { healthy: boolean; checks: Finding[] } = JSON.parse(stdout);
  assertEquals(healthy, code === 0);
  return { code, checks: new Map(checks.map((check) => [check.name, check])) };
}

Deno.test("doctor finds no problem in an empty directory with a free port", async () => {
  await using folder = await temporaryFolder();
  await Deno.chmod(folder.path, 0o700);
  const { code, checks } = await doctor({ KB_DATA_DIR: folder.path, KB_MCP_PORT: "0" });
  assertEquals(code, 0);
  assertEquals([...checks.values()].filter(({ state }) => state === "fail"), []);
  assertEquals([...checks.keys()].filter((name) => name !== "disk"), [
    "settings",
    "data directory",
    "clock",
    "port",
    "engine",
    "model",
  ]);
});

Deno.test("doctor names each problem and its fix", async () => {
  await using folder = await temporaryFolder({ file: "" });
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const answering = (async () => {
    for await (const connection of listener) connection.close();
  })();
  const { code, checks } = await doctor({
    KB_DATA_DIR: `${folder.path}/file`,
    KB_MCP_PORT: String(listener.addr.port),
    KB_EMBEDDINGS_MODEL: "unheard-of",
    KB_MCP_PRT: "1",
  });
  listener.close();
  await answering;
  assertEquals(code, 1);
  assertMatch(checks.get("settings")!.message, /KB_MCP_PRT: unknown setting .* did you mean KB_MCP_PORT/);
  assertEquals(checks.get("settings")!.state, "warn");
  assertMatch(checks.get("data directory")!.message, /file is not a directory$/);
  assertMatch(checks.get("port")!.message, /is in use by another program$/);
  assertMatch(checks.get("model")!.message, /^unheard-of is unknown$/);
  for (const { state, fix } of checks.values()) assertEquals(fix !== undefined, state !== "ok");
});

Deno.test("doctor reports an engine that cannot be reached, and an invalid setting", async () => {
  const { checks } = await doctor({ KB_ENGINE_URL: "http://127.0.0.1:1", KB_MCP_PORT: "0" });
  assertEquals(checks.get("engine"), {
    name: "engine",
    state: "fail",
    message: "The engine at http://127.0.0.1:1 is unreachable (connection refused). " +
      "Check that it runs and that KB_ENGINE_URL is right, then try again.",
    fix: "start the engine (kb-mcp engine), or correct KB_ENGINE_URL",
  });
  const invalid = await doctor({ KB_MCP_PORT: "x" });
  assertMatch(invalid.checks.get("settings")!.message, /^KB_MCP_PORT must be a port/);
  const { stdout } = await runCommand(["doctor", "--no-json"], { KB_MCP_PORT: "x" });
  assertMatch(stdout, /^FAIL settings +KB_MCP_PORT must be a port .*\n +Fix: correct the setting/);
});

Deno.test({
  name: "doctor names the command that protects a key file",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await temporaryFolder({ key: "a-key-of-16-chars" });
    const path = `${folder.path}/key`;
    await Deno.chmod(path, 0o644);
    const { checks } = await doctor({
      KB_MCP_API_KEY_FILE: path,
      KB_MCP_PORT: "0",
      KB_DATA_DIR: folder.path,
    });
    const { state, message, fix } = checks.get("settings")!;
    assertEquals([state, message], ["warn", "KB_MCP_API_KEY_FILE: other users can read the key file"]);
    assertEquals(fix, `run chmod 600 ${JSON.stringify(path)}`);
  },
});

Deno.test("doctor compares the key of the running server with its own", async () => {
  await using open = await startTestServer();
  await using closed = await startTestServer({ env: { KB_MCP_API_KEY: "a-key-of-16-chars" } });
  const key = "a-key-of-16-chars";
  const cases: [server: { url: string }, key: string | undefined, expected: RegExp][] = [
    [open, undefined, /^ok kb-mcp \S+ serves at \S+, without a key$/],
    [open, key, /^warn kb-mcp .* without a key, although KB_MCP_API_KEY is set here$/],
    [closed, undefined, /^ok kb-mcp .*, with a key$/],
    [closed, key, /^ok kb-mcp .*, with this key$/],
    [closed, "another-key-here", /^warn kb-mcp .*, but refuses KB_MCP_API_KEY$/],
  ];
  for (const [{ url }, key, expected] of cases) {
    const { checks } = await doctor({
      KB_MCP_PORT: new URL(url).port,
      KB_DATA_DIR: "/nonexistent/kb",
      ...(key === undefined ? {} : { KB_MCP_API_KEY: key }),
    });
    const { state, message } = checks.get("port")!;
    assertMatch(`${state} ${message}`, expected);
  }
});

Deno.test("doctor reports a running server that is not ready", async () => {
  await using server = await startTestServer({ env: { KB_ENGINE_URL: "http://127.0.0.1:1" } });
  const { code, checks } = await doctor({
    KB_MCP_PORT: new URL(server.url).port,
    KB_DATA_DIR: "/nonexistent/kb",
  });
  assertEquals(code, 1);
  const { state, message, fix } = checks.get("port")!;
  assertMatch(message, /^kb-mcp \S+ serves at \S+, but is not ready: engine not ready$/);
  assertEquals([state, fix], ["fail", "see the log of the server"]);
});

Deno.test("doctor names the fix of a server that cannot store anything", async () => {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    if (url.endsWith("/version")) return Response.json({ name: "kb-mcp", version: "3.0.0" });
    return Response.json({ status: "storage_damaged" }, { status: 503 });
  });
  const { checks } = await doctor({
    KB_MCP_PORT: String(server.addr.port),
    KB_DATA_DIR: "/nonexistent/kb",
  });
  const { state, fix } = checks.get("port")!;
  assertEquals([state, fix], ["fail", "stop the server, then run kb-mcp repair or restore a backup"]);
});

Deno.test("doctor names the wrong key of an engine, and an MCP server in place of one", async () => {
  await using server = await startTestServer();
  const notEngine = await doctor({ KB_ENGINE_URL: server.url, KB_MCP_PORT: "0" });
  assertMatch(notEngine.checks.get("engine")!.fix!, /to an engine .* not to kb-mcp serve$/);
  const engine = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("{}", { status: 401 }),
  );
  const { checks } = await doctor({
    KB_ENGINE_URL: `http://127.0.0.1:${engine.addr.port}`,
    KB_MCP_PORT: "0",
  });
  assertMatch(checks.get("engine")!.message, /rejected the API key \(401\)\. It requires a key: /);
  assertMatch(checks.get("engine")!.fix!, /^set KB_API_KEY/);
  await engine.shutdown();
});

Deno.test("doctor checks whether a missing data directory can be created", async () => {
  await using folder = await temporaryFolder({ file: "" });
  const { checks } = await doctor({ KB_DATA_DIR: `${folder.path}/a/b`, KB_MCP_PORT: "0" });
  assertMatch(checks.get("data directory")!.message, /does not exist yet; the first start creates it$/);
  if (Deno.build.os !== "linux") return;
  const refused = await doctor({ KB_DATA_DIR: "/proc/kb/data", KB_MCP_PORT: "0" });
  assertMatch(
    refused.checks.get("data directory")!.message,
    /^\/proc\/kb\/data cannot be created: \/proc is not/,
  );
});

import { assertEquals, assertMatch } from "@std/assert";
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
  assertEquals(checks.get("engine")!.state, "fail");
  const invalid = await doctor({ KB_MCP_PORT: "x" });
  assertMatch(invalid.checks.get("settings")!.message, /^KB_MCP_PORT must be a port/);
  const { stdout } = await runCommand(["doctor", "--no-json"], { KB_MCP_PORT: "x" });
  assertMatch(stdout, /^FAIL settings +KB_MCP_PORT must be a port .*\n +Fix: correct the setting/);
});

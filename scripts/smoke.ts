/**
 * `deno task smoke`: starts what is shipped as a stranger would, in an empty directory with an empty cache and the
 * permissions of the executable, and plays the main story with the official MCP client; once with the embedded engine,
 * once with the engine in a process of its own; then search by meaning with a model over HTTP. The last line counts the checks.
 *
 * Without arguments it takes the bundle; `--executable PATH` takes a compiled file.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Checks } from "./checks.ts";
import { PERMISSIONS, RUNTIME_FLAGS } from "./permissions.ts";
import { print } from "./print.ts";
import { exitCode, ServerProcess } from "./server_process.ts";
import { playMeaning } from "./smoke_meaning.ts";
import { playStory } from "./smoke_story.ts";

const TOKEN = "smoke-token";
const ENGINE_KEY = "smoke-engine-key";
/** What a supervisor such as Docker grants before it kills. */
const STOP_LIMIT_MS = 10_000;

const { values: { executable } } = parseArgs({ options: { executable: { type: "string" } } });
const directory = await Deno.makeTempDir({ prefix: "kb-mcp-smoke-" });
const checks = new Checks(executable === undefined ? "bundle" : "executable");

/** The words that start the program; the bundle stands alone, without a deno.json above it. */
async function program(): Promise<string[]> {
  if (executable !== undefined) return [resolve(executable)];
  await Deno.copyFile("dist/kb-mcp.js", `${directory}/kb-mcp.js`);
  return [
    Deno.execPath(),
    "run",
    "--cached-only",
    ...PERMISSIONS,
    ...RUNTIME_FLAGS,
    `${directory}/kb-mcp.js`,
  ];
}

/** Starts a role of the program; its temporary files go where they can be counted. */
async function start(role: "serve" | "engine", settings: Record<string, string>): Promise<ServerProcess> {
  return await ServerProcess.start({
    command: [...words, role],
    directory,
    env: { ...surroundings, ...settings },
  });
}

async function stop(server: ServerProcess): Promise<void> {
  const { code, milliseconds } = await server.terminate();
  assertEquals(code, 0);
  assert(milliseconds < STOP_LIMIT_MS, `it took ${milliseconds.toFixed(0)} ms`);
  const left = await Array.fromAsync(Deno.readDir(surroundings.TMPDIR), ({ name }) => name);
  assertEquals(left, []);
}

async function embedded(): Promise<void> {
  await using server = await checks.check("it starts with the embedded engine", () => {
    return start("serve", { KB_MCP_PORT: "0", KB_MCP_API_KEY: TOKEN });
  });
  print(`    ready after ${server.readyMs.toFixed(0)} ms`);
  await playStory(checks, server.url, TOKEN);
  await checks.check("its own health check finds it well", async () => {
    const env = { ...surroundings, KB_MCP_PORT: new URL(server.url).port };
    assertEquals(await exitCode({ command: [...words, "healthcheck"], directory, env }), 0);
  });
  await checks.check("SIGTERM ends it with status 0, and nothing stays staged", () => stop(server));
}

async function apart(): Promise<void> {
  await using engine = await checks.check("the engine starts alone", () => {
    return start("engine", {
      KB_ENGINE_PORT: "0",
      KB_API_KEY: ENGINE_KEY,
      KB_DATA_DIR: `${directory}/engine`,
    });
  });
  await using server = await checks.check("it starts with an engine over HTTP", () => {
    const settings = {
      KB_MCP_PORT: "0",
      KB_MCP_API_KEY: TOKEN,
      KB_ENGINE_URL: engine.url,
      KB_API_KEY: ENGINE_KEY,
    };
    return start("serve", settings);
  });
  await playStory(checks, server.url, TOKEN);
  await checks.check("SIGTERM ends both with status 0, and nothing stays staged", async () => {
    await stop(server);
    await stop(engine);
  });
}

const surroundings = { TMPDIR: `${directory}/tmp`, DENO_DIR: `${directory}/cache` };
await Deno.mkdir(surroundings.TMPDIR);
const words = await program();
try {
  await embedded();
  await apart();
  await playMeaning(checks, { words, directory, env: surroundings, start }, TOKEN);
} catch (error) {
  // A failed check has been told and counted; anything else has not.
  if (checks.failed === 0) throw error;
} finally {
  await Deno.remove(directory, { recursive: true });
}
print(`${checks.passed} passed, ${checks.failed} failed`);
Deno.exit(checks.failed === 0 ? 0 : 1);

/**
 * `deno task smoke [--executable PATH]`: runs the bundle, or a compiled executable, in an empty directory
 * with an empty cache and the executable's permissions, and drives it with the official MCP client: with the
 * embedded engine, with the engine in its own process, with a folder in sync, with the built-in embedding model, and
 * with one over HTTP.
 * The last line counts the checks.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { listModelFiles } from "../../src/models/mod.ts";
import { BUNDLE_FOLDER } from "../bundle.ts";
import { Checks } from "../checks.ts";
import { RUN_PERMISSIONS, RUNTIME_FLAGS } from "../permissions.ts";
import { print } from "../print.ts";
import { exitCode, ServerProcess } from "../server_process.ts";
import { checkBuiltinModel, checkEmbeddings } from "./embeddings.ts";
import { checkSources } from "./sources.ts";
import { checkTools } from "./tools.ts";

const TOKEN = "smoke-token";
const ENGINE_KEY = "smoke-engine-key";
/** Grace period of a supervisor such as Docker between SIGTERM and SIGKILL. */
const STOP_TIMEOUT_MS = 10_000;

const { values: { executable } } = parseArgs({ options: { executable: { type: "string" } } });
const directory = await Deno.makeTempDir({ prefix: "kb-mcp-smoke-" });
const env = {
  TMPDIR: `${directory}/tmp`,
  DENO_DIR: `${directory}/cache`,
  KB_EMBEDDINGS_MODEL: "off",
};
await Deno.mkdir(env.TMPDIR);
const checks = new Checks(executable === undefined ? "bundle" : "executable");
const program = await prepareProgram();

/** Returns the command line of the program. The bundle is copied away from the repository's deno.json. */
async function prepareProgram(): Promise<string[]> {
  if (executable !== undefined) return [resolve(executable)];
  await Deno.mkdir(`${directory}/bundle`);
  for await (const { name } of Deno.readDir(BUNDLE_FOLDER)) {
    await Deno.copyFile(`${BUNDLE_FOLDER}/${name}`, `${directory}/bundle/${name}`);
  }
  return [
    Deno.execPath(),
    "run",
    "--cached-only",
    ...RUN_PERMISSIONS,
    ...RUNTIME_FLAGS,
    `${directory}/bundle/main.js`,
  ];
}

async function start(role: "serve" | "engine", settings: Record<string, string>): Promise<ServerProcess> {
  return await ServerProcess.start({
    command: [...program, role],
    directory,
    env: { ...env, ...settings },
  });
}

async function stop(server: ServerProcess): Promise<void> {
  const { code, milliseconds } = await server.terminate();
  assertEquals(code, 0);
  assert(milliseconds < STOP_TIMEOUT_MS, `it took ${milliseconds.toFixed(0)} ms`);
  const leftovers = await Array.fromAsync(Deno.readDir(env.TMPDIR), ({ name }) => name);
  assertEquals(leftovers, []);
}

/** Checks that the server has closed what it opened, which a minifier has once prevented. */
async function checkDescriptors(server: ServerProcess): Promise<void> {
  if (Deno.build.os !== "linux") return;
  await checks.check("the folder of queued files is closed after each file", async () => {
    const folder = `/proc/${server.pid}/fd`;
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    // A descriptor may be closed meanwhile.
    const targets = await Promise.all(
      names.map((name) => Deno.readLink(`${folder}/${name}`).catch(() => "")),
    );
    assertEquals(targets.filter((target) => target.endsWith("/spool")), []);
  });
}

async function checkEmbeddedEngine(): Promise<void> {
  await using server = await checks.check("it starts with the embedded engine", () => {
    return start("serve", { KB_MCP_PORT: "0", KB_MCP_API_KEY: TOKEN });
  });
  print(`    ready after ${server.readyMs.toFixed(0)} ms`);
  await checkTools(checks, server.url, TOKEN);
  await checkDescriptors(server);
  await checks.check("the web page and its scripts are in the program", async () => {
    const page = await fetch(`${server.url}/`, { headers: { accept: "text/html" } });
    const [, script = ""] = /src="(page\/[\w.]+)"/.exec(await page.text()) ?? [];
    const response = await fetch(`${server.url}/${script}`);
    assertEquals([response.status, response.headers.get("content-type")], [
      200,
      "text/javascript; charset=utf-8",
    ]);
    assert((await response.text()).includes("import "));
  });
  await checks.check("its health check succeeds", async () => {
    const settings = { ...env, KB_MCP_PORT: new URL(server.url).port };
    assertEquals(await exitCode({ command: [...program, "healthcheck"], directory, env: settings }), 0);
  });
  await checks.check("SIGTERM stops it with status 0 and leaves no staged files", () => stop(server));
}

async function checkRemoteEngine(): Promise<void> {
  await using engine = await checks.check("the engine starts alone", () => {
    return start("engine", {
      KB_ENGINE_PORT: "0",
      KB_API_KEY: ENGINE_KEY,
      KB_DATA_DIR: `${directory}/engine`,
    });
  });
  await using server = await checks.check("it starts with an engine over HTTP", () => {
    return start("serve", {
      KB_MCP_PORT: "0",
      KB_MCP_API_KEY: TOKEN,
      KB_ENGINE_URL: engine.url,
      KB_API_KEY: ENGINE_KEY,
    });
  });
  await checkTools(checks, server.url, TOKEN);
  await checks.check("SIGTERM stops both with status 0 and leaves no staged files", async () => {
    await stop(server);
    await stop(engine);
  });
}

try {
  await checkEmbeddedEngine();
  await checkRemoteEngine();
  const described = { command: program, directory, env, start };
  await checkSources(checks, { ...described, directory: `${directory}/sources` }, TOKEN);
  if ((await listModelFiles(BUNDLE_FOLDER)).length > 0) await checkBuiltinModel(checks, described, TOKEN);
  else print("The built-in model is not checked: deno task model makes it for the bundle");
  await checkEmbeddings(checks, described, TOKEN);
} catch (error) {
  // A failed check is already printed and counted.
  if (checks.failed === 0) throw error;
} finally {
  await Deno.remove(directory, { recursive: true });
}
print(`${checks.passed} passed, ${checks.failed} failed`);
Deno.exit(checks.failed === 0 ? 0 : 1);

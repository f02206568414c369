import { EngineError } from "../../client/mod.ts";
import type { Config } from "../../config/mod.ts";
import { createLogger } from "../../telemetry/mod.ts";
import { oneLine } from "../../text/mod.ts";
import { VERSION } from "../../version.ts";
import { connect, type Connection } from "../connection.ts";
import { ExitError } from "../exit_status.ts";
import { rootCause } from "../healthcheck.ts";
import { listModels } from "../list_models.ts";
import { reachableHost } from "../listen.ts";
import { readLocalFile } from "../local_file.ts";
import { pingStatus } from "../ping_status.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** Timeout of a request, in milliseconds. */
const TIMEOUT_MS = 3000;

const ENGINE_FIX = "start the engine, and check KB_ENGINE_URL and KB_API_KEY";
/** Fixes of an engine at `KB_ENGINE_URL`, by the code of the failure. */
const ENGINE_FIXES: Readonly<Record<string, string>> = {
  unauthorized: "set KB_API_KEY, or KB_API_KEY_FILE, to the key of the engine",
  unreachable: "start the engine (kb-mcp engine), or correct KB_ENGINE_URL",
  invalid_response:
    "set KB_ENGINE_URL to an engine (kb-mcp engine, by default on port 8000), not to kb-mcp serve",
  engine_too_old: "upgrade the engine",
  host_not_allowed: "add the host of KB_ENGINE_URL to KB_ENGINE_ALLOWED_HOSTS of the engine",
};

/** Fixes of servers that cannot store anything, by the state that they report. */
const STATE_FIXES: Readonly<Record<string, string>> = {
  storage_full: "free some space on the disk of the data directory",
  read_only: "make the data directory writable, then restart the server",
  storage_damaged: "stop the server, then run kb-mcp repair or restore a backup",
  writer_failed: "restart the server; its log has the reason",
};

function stateFix(state: string): string {
  return STATE_FIXES[state] ?? "see the log of the server";
}

/** Checks whether the port of the MCP server is free, or which program uses it. */
export async function checkPort(config: Config): Promise<Check> {
  const { KB_MCP_HOST: host, KB_MCP_PORT: port } = config;
  if (port === 0) return ok("port", "the next start selects a free one");
  const address = `${reachableHost(host)}:${port}`;
  try {
    Deno.listen({ hostname: host.replace(/^\[|\]$/g, ""), port }).close();
    return ok("port", `${address} is free`);
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) {
      const message = `${host}:${port} cannot be bound: ${(error as Error).message}`;
      return fail("port", message, bindFix(error));
    }
  }
  const version = await versionAt(address);
  if (version !== undefined) {
    const problem = await readinessProblem(address);
    if (problem === undefined) return await checkKey(address, version, config.KB_MCP_API_KEY);
    const message = `kb-mcp ${version} serves at http://${address}, but is not ready: ${problem}`;
    return fail("port", message, stateFix(problem));
  }
  return fail("port", `${address} is in use by another program`, "stop that program, or set KB_MCP_PORT");
}

function bindFix(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) return "set KB_MCP_PORT to a port from 1024";
  if (error instanceof Deno.errors.AddrNotAvailable) {
    return "set KB_MCP_HOST to an address of this machine, such as 127.0.0.1";
  }
  return "set KB_MCP_HOST and KB_MCP_PORT";
}

/** Returns the version of the kb-mcp that serves MCP at an address; undefined: another program. */
async function versionAt(address: string): Promise<string | undefined> {
  try {
    const response = await fetch(`http://${address}/version`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { name, version } = await response.json();
    return name === "kb-mcp" ? version : undefined;
  } catch {
    return undefined;
  }
}

/** Returns why a running server does not serve agents fully, such as `storage_damaged`; undefined if it does. */
async function readinessProblem(address: string): Promise<string | undefined> {
  try {
    const response = await fetch(`http://${address}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { status } = await response.json();
    return response.ok ? undefined : oneLine(String(status), 100);
  } catch {
    return "it does not respond";
  }
}

/** Checks whether a running server accepts the key of these settings, and requires one. */
async function checkKey(address: string, version: string, key: string | undefined): Promise<Check> {
  const text = `kb-mcp ${version} serves at http://${address}`;
  const endpoint = `http://${address}/mcp`;
  const isOpen = await pingStatus(endpoint) === 200;
  if (key === undefined) return ok("port", isOpen ? `${text}, without a key` : `${text}, with a key`);
  if (isOpen) {
    const message = `${text} without a key, although KB_MCP_API_KEY is set here`;
    return warn("port", message, "set KB_MCP_API_KEY where the server is started, and restart it");
  }
  if (await pingStatus(endpoint, key) !== 401) return ok("port", `${text}, with this key`);
  const fix = "set KB_MCP_API_KEY to the key that the server was started with, or restart it with this one";
  return warn("port", `${text}, but refuses KB_MCP_API_KEY`, fix);
}

/** Checks the engine at `KB_ENGINE_URL`, or the server that uses the data directory. */
export async function checkEngine(config: Config, dataDir: string): Promise<Check> {
  const local = config.KB_ENGINE_URL === undefined ? readLocalFile(dataDir) : undefined;
  if (config.KB_ENGINE_URL === undefined && !local) {
    return ok("engine", "no server uses the data directory; commands open it themselves");
  }
  try {
    await using connection = await connect(config, {
      log: createLogger("silent"),
      defaultDataDir: () => dataDir,
    });
    return await checkStatus(connection, local?.version);
  } catch (error) {
    return engineFailure(error, config);
  }
}

/** Returns the failed check of an engine, with the message of a known failure. */
function engineFailure(error: unknown, { KB_ENGINE_URL }: Config): Check {
  const isKnown = error instanceof EngineError || error instanceof ExitError;
  const message = isKnown ? error.message : rootCause(error as Error);
  if (KB_ENGINE_URL === undefined) return fail("engine", message, "restart the server");
  return fail("engine", message, ENGINE_FIXES[error instanceof EngineError ? error.code : ""] ?? ENGINE_FIX);
}

/** @param program Version of the program that runs the engine; undefined: unknown. */
async function checkStatus(
  { client, name }: Connection,
  program: string | undefined,
): Promise<Check> {
  const { version, storage } = await client.status({ timeoutMs: TIMEOUT_MS });
  const text = `${name} responds, with version ${version ?? "unknown"} of the engine's API`;
  const state = storage?.state ?? "ok";
  if (state !== "ok") {
    return fail("engine", `${text}, but cannot store anything: ${state}`, stateFix(state));
  }
  if (program !== undefined && program !== VERSION) {
    const message = `${name} is kb-mcp ${program}, but this program is ${VERSION}`;
    return warn("engine", message, "restart the server with this version");
  }
  return ok("engine", text);
}

/** Checks that the embedding model is installed, or that its API responds. */
export async function checkModel(config: Config, dataDir: string): Promise<Check> {
  const { KB_EMBEDDINGS_URL: url, KB_EMBEDDINGS_MODEL: selected = "builtin" } = config;
  if (url !== undefined) return await checkApi(url);
  if (selected === "off") return ok("model", "off: search is by words only");
  const { DEFAULT_MODEL } = await import("../../models/mod.ts");
  const name = selected === "builtin" ? DEFAULT_MODEL : selected;
  const model = (await listModels(dataDir)).find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (model?.state === "installed") return ok("model", `${name} is installed`);
  if (model?.state === "damaged") {
    return fail("model", `the file of ${name} is damaged`, `run kb-mcp model install ${name}`);
  }
  if (!model) return fail("model", `${name} is unknown`, "kb-mcp model list shows the models");
  const fix = `run kb-mcp model install ${name}, or set KB_EMBEDDINGS_MODEL=off`;
  return warn("model", `${name} is not installed: search is by words until it is`, fix);
}

async function checkApi(url: string): Promise<Check> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" });
    await response.body?.cancel();
    return ok("model", `the embeddings API at ${url} responds`);
  } catch (error) {
    const message = `the embeddings API at ${url} cannot be reached: ${rootCause(error as Error)}`;
    return fail("model", message, "start it, or correct KB_EMBEDDINGS_URL");
  }
}

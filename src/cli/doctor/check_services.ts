import { EngineError } from "../../client/mod.ts";
import type { Config } from "../../config/mod.ts";
import { createLogger } from "../../telemetry/mod.ts";
import { VERSION } from "../../version.ts";
import { connect, type Connection } from "../connection.ts";
import { rootCause } from "../healthcheck.ts";
import { listModels } from "../list_models.ts";
import { reachableHost } from "../listen.ts";
import { readLocalFile } from "../local_file.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** Timeout of a request, in milliseconds. */
const TIMEOUT_MS = 3000;

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
      return fail(
        "port",
        `${host}:${port} cannot be bound: ${(error as Error).message}`,
        "set KB_MCP_HOST and KB_MCP_PORT",
      );
    }
  }
  try {
    const response = await fetch(`http://${address}/version`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { name, version } = await response.json();
    if (name === "kb-mcp") return ok("port", `kb-mcp ${version} serves at http://${address}`);
  } catch {
    // Another program.
  }
  return fail("port", `${address} is in use by another program`, "stop that program, or set KB_MCP_PORT");
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
    const fix = config.KB_ENGINE_URL === undefined
      ? "restart the server"
      : "start the engine, and check KB_ENGINE_URL and KB_API_KEY";
    return fail("engine", rootCause(error as Error), fix);
  }
}

/** @param program Version of the program that runs the engine; undefined: unknown. */
async function checkStatus(
  { client, name }: Connection,
  program: string | undefined,
): Promise<Check> {
  try {
    const { version, storage } = await client.status({ timeoutMs: TIMEOUT_MS });
    const text = `${name} responds, with version ${version ?? "unknown"} of the engine's API`;
    const state = storage?.state ?? "ok";
    if (state !== "ok") {
      return fail("engine", `${text}, but cannot store anything: ${state}`, "see docs/operations.md");
    }
    if (program !== undefined && program !== VERSION) {
      const message = `${name} is kb-mcp ${program}, but this program is ${VERSION}`;
      return warn("engine", message, "restart the server with this version");
    }
    return ok("engine", text);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return fail("engine", error.message, "start the engine, and check KB_ENGINE_URL and KB_API_KEY");
  }
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

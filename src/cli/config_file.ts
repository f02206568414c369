import { join, resolve } from "node:path";
import { ConfigError, type ConfigFile, type Layer, parseConfigFile } from "../config/mod.ts";
import { readSecretFile } from "./secret_file.ts";

/** Name of the file in the working directory and in the user's configuration directory. */
const FILE_NAME = "kb-mcp.toml";

/** Settings with the address of a server that receives keys and documents. */
const DESTINATIONS = ["KB_ENGINE_URL", "KB_MCP_URL", "KB_EMBEDDINGS_URL"] as const;

/** Options of {@linkcode findConfigFile}. */
export interface FindConfigOptions {
  readonly flags: Layer | undefined;
  /** Returns the value of an environment variable. */
  readonly env: (name: string) => string | undefined;
  /** Working directory. @default {that of the process} */
  readonly directory?: string;
}

/**
 * Reads the configuration file: the one that `--config` or `KB_MCP_CONFIG` names, otherwise `kb-mcp.toml` in the
 * working directory, otherwise that in the user's folder: `$XDG_CONFIG_HOME/kb-mcp`, by default `~/.config/kb-mcp`, on
 * Windows `%LOCALAPPDATA%\\kb-mcp`.
 *
 * @returns Undefined without one.
 * @throws {ConfigError} When a named file does not exist, or a file is invalid; when the one in the working directory
 * names a server on another machine.
 */
export async function findConfigFile(
  { flags, env, directory = "" }: FindConfigOptions,
): Promise<ConfigFile | undefined> {
  const flag = flags?.get("KB_MCP_CONFIG");
  const variable = env("KB_MCP_CONFIG")?.trim();
  if (flag !== undefined) return await parse(flag, read(flag, "--config"));
  if (variable) return await parse(variable, read(variable, "KB_MCP_CONFIG"));
  const home = env("HOME");
  const folder = env("XDG_CONFIG_HOME") || (home ? `${home}/.config` : env("LOCALAPPDATA"));
  const own = join(directory, FILE_NAME);
  for (const path of [own, ...(folder ? [`${folder}/kb-mcp/${FILE_NAME}`] : [])]) {
    const text = readIfExists(path);
    if (text === undefined) continue;
    const file = await parse(path, text);
    if (path === own) await checkDestinations(file);
    return file;
  }
  return undefined;
}

/**
 * Refuses a file in the working directory that names a server elsewhere.
 *
 * Threat: clients start `kb-mcp stdio` in the folder of the user's project, which may be a repository of somebody else, and
 * run `kb-mcp recall` there. The address in its file would receive the keys of the environment, every file that
 * `api_key_file` can name, and the notes.
 */
async function checkDestinations({ layer }: ConfigFile): Promise<void> {
  const host = layer.get("KB_MCP_HOST");
  if (host === undefined && DESTINATIONS.every((name) => layer.get(name) === undefined)) return;
  const { isLoopback } = await import("../http/mod.ts");
  const refuse = (name: Parameters<typeof layer.label>[0], what: string) => {
    throw new ConfigError(
      `${layer.label(name)} must ${what}, because nobody has chosen this file: if you trust it, set ` +
        `--config ${FILE_NAME}, or KB_MCP_CONFIG`,
    );
  };
  for (const name of DESTINATIONS) {
    const url = URL.parse(layer.get(name) ?? "");
    if (url && !isLoopback(url.hostname)) refuse(name, "name a server on this machine");
  }
  if (host === undefined) return;
  const { reachableHost } = await import("./listen.ts");
  // Clients of this machine call the server there.
  const url = URL.parse(`http://${reachableHost(host)}`);
  if (url && !isLoopback(url.hostname)) refuse("KB_MCP_HOST", "be 127.0.0.1, ::1, 0.0.0.0 or ::");
}

async function parse(path: string, text: string): Promise<ConfigFile> {
  return await parseConfigFile(text, resolve(path));
}

function read(path: string, name: string): string {
  try {
    return readSecretFile(path);
  } catch (cause) {
    throw new ConfigError(
      `${name} must name a readable file, got ${JSON.stringify(path)}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

function readIfExists(path: string): string | undefined {
  try {
    Deno.statSync(path);
  } catch {
    return undefined;
  }
  return read(path, "the configuration file");
}

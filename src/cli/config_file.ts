import { ConfigError, type ConfigFile, type Layer, parseConfigFile } from "../config/mod.ts";
import { resolve } from "node:path";
import { readSecretFile } from "./secret_file.ts";

/** Name of the file in the working directory and in the user's configuration directory. */
const FILE_NAME = "kb-mcp.toml";

/** Options of {@linkcode findConfigFile}. */
export interface FindConfigOptions {
  readonly flags: Layer | undefined;
  /** Returns the value of an environment variable. */
  readonly env: (name: string) => string | undefined;
}

/**
 * Reads the configuration file: the one that `--config` or `KB_MCP_CONFIG` names, otherwise `kb-mcp.toml` in the
 * working directory, otherwise that in the user's folder: `$XDG_CONFIG_HOME/kb-mcp`, by default `~/.config/kb-mcp`, on
 * Windows `%LOCALAPPDATA%\\kb-mcp`.
 *
 * @returns undefined if there is none.
 * @throws {ConfigError} When a named file does not exist, or a file is invalid.
 */
export async function findConfigFile({ flags, env }: FindConfigOptions): Promise<ConfigFile | undefined> {
  const flag = flags?.get("KB_MCP_CONFIG");
  const variable = env("KB_MCP_CONFIG")?.trim();
  if (flag !== undefined) return await parse(flag, read(flag, "--config"));
  if (variable) return await parse(variable, read(variable, "KB_MCP_CONFIG"));
  const home = env("HOME");
  const folder = env("XDG_CONFIG_HOME") || (home ? `${home}/.config` : env("LOCALAPPDATA"));
  for (const path of [FILE_NAME, ...(folder ? [`${folder}/kb-mcp/${FILE_NAME}`] : [])]) {
    const text = readIfExists(path);
    if (text !== undefined) return await parse(path, text);
  }
  return undefined;
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

import { ConfigError } from "../config/mod.ts";

/** Returns the value of an environment variable. */
type Env = (name: string) => string | undefined;

/**
 * Returns the data directory of the embedded engine when `KB_DATA_DIR` is unset: `kb-mcp` in the user's data
 * directory (XDG Base Directory Specification on Linux, its equivalents on macOS and Windows).
 *
 * @throws {ConfigError} When the environment contains no home directory.
 */
export function defaultDataDir(os: typeof Deno.build.os, env: Env): string {
  const home = env("HOME");
  const base = os === "windows"
    ? env("LOCALAPPDATA")
    : os === "darwin"
    ? home && `${home}/Library/Application Support`
    : env("XDG_DATA_HOME") || (home && `${home}/.local/share`);
  if (!base) throw new ConfigError("KB_DATA_DIR must be set: the environment contains no home directory");
  return os === "windows" ? `${base}\\kb-mcp` : `${base}/kb-mcp`;
}

/** Settings whose key is not their name without the prefix, which another one has. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  KB_API_KEY: "engine_api_key",
};

/**
 * Returns the key of a setting in `kb-mcp.toml`, also with `_FILE`: its name in lower case without `KB_MCP_` or
 * `KB_`. The flag is the same with hyphens.
 *
 * @param variable Name of the setting, or of its `_FILE`.
 *
 * @example
 * ```ts
 * import { settingKey } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(settingKey("KB_MCP_PORT"), "port");
 * assertEquals(settingKey("KB_ENGINE_PORT"), "engine_port");
 * assertEquals(settingKey("KB_API_KEY_FILE"), "engine_api_key_file");
 * ```
 */
export function settingKey(variable: string): string {
  const name = variable.replace(/_FILE$/, "");
  const exception = EXCEPTIONS[name];
  if (exception !== undefined) return exception + variable.slice(name.length).toLowerCase();
  return variable.replace(/^KB_(MCP_)?/, "").toLowerCase();
}

/**
 * Returns the flag of a setting: `--port` for `KB_MCP_PORT`. The command `engine` leaves out `engine-`, so that
 * `kb-mcp engine --port` is its own port.
 *
 * @example
 * ```ts
 * import { settingFlag } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(settingFlag("KB_ENGINE_PORT", "engine"), "--port");
 * assertEquals(settingFlag("KB_ENGINE_PORT", "config"), "--engine-port");
 * ```
 */
export function settingFlag(variable: string, command: string): string {
  const key = settingKey(variable);
  const own = command === "engine" ? key.replace(/^engine_/, "") : key;
  return `--${own.replaceAll("_", "-")}`;
}

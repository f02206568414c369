/**
 * Configuration by environment variables. One table, {@linkcode SETTINGS}, feeds parsing, `--help` and the
 * documentation.
 *
 * A secret may also be given as a file (`NAME_FILE`), the way Docker and systemd pass secrets.
 *
 * @module
 */
export { type Config, loadConfig, type SettingValue, unknownSettings } from "./load.ts";
export { type FileOwner, type SecretWarning, secretWarnings } from "./secrets.ts";
export {
  DEFAULT_MCP_URL,
  describeSettings,
  type Role,
  type Setting,
  type SettingName,
  type SettingRow,
  SETTINGS,
} from "./settings.ts";
export { ConfigError, type ConfigSource } from "./source.ts";
export type { ValueSchema } from "./values.ts";

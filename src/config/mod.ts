/**
 * Configuration by flags, environment variables and a file, in this order of precedence. One table,
 * {@linkcode SETTINGS}, feeds parsing, flags, `--help` and the documentation.
 *
 * A secret may also be given as a file (`NAME_FILE`), the way Docker and systemd pass secrets.
 *
 * @module
 */
export { ConfigError } from "./config_error.ts";
export { parseConfigFile } from "./file.ts";
export { settingFlag, settingKey } from "./keys.ts";
export { flagLayer, type LayerSource } from "./layers.ts";
export {
  type Config,
  type GivenSetting,
  givenSettings,
  LAUNCHER_VARIABLE,
  loadConfig,
  type SettingValue,
  unknownSettings,
} from "./load.ts";
export {
  type FileOwner,
  isReadableByOthers,
  secretFile,
  type SecretWarning,
  secretWarnings,
} from "./secrets.ts";
export {
  DEFAULT_MCP_URL,
  describeSettings,
  type Role,
  type Setting,
  type SettingName,
  type SettingRow,
  SETTINGS,
} from "./settings.ts";
export type { ConfigFile, ConfigSource, Layer, Origin } from "./source.ts";
export { type ConfiguredSource, parseSourceTables } from "./sources.ts";
export { valueChoices, type ValueKind, valueKind, type ValueSchema } from "./values.ts";

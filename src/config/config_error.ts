/**
 * Settings that cannot be used. The message names the variable and what it must be, and never contains a
 * secret.
 */
export class ConfigError extends Error {
  override name = "ConfigError";
}

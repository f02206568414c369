/** Source of settings, injected so that tests need neither environment nor files. */
export interface ConfigSource {
  /** Returns the value of an environment variable. */
  readonly env: (name: string) => string | undefined;
  /**
   * Returns the content of a file that a `NAME_FILE` variable names. Throws an error whose message gives the
   * reason.
   */
  readonly readFile: (path: string) => string;
}

/**
 * Settings that cannot be used. The message names the variable and what it must be, and never contains a
 * secret.
 */
export class ConfigError extends Error {
  override name = "ConfigError";
}

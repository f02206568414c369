import type { ConfiguredSource } from "./sources.ts";

/** Where a value comes from, in the order of precedence. */
export type Origin = "flag" | "environment" | "file" | "default";

/** Values of one origin. */
export interface Layer {
  readonly origin: Exclude<Origin, "default">;
  /** Returns the text of a variable: the name of a setting, or of one with `_FILE`. */
  readonly get: (variable: string) => string | undefined;
  /** Returns what the operator has written for the variable, for messages: `--port`, `KB_MCP_PORT`. */
  readonly label: (variable: string) => string;
}

/** A configuration file, parsed. */
export interface ConfigFile {
  readonly path: string;
  readonly layer: Layer;
  /** The `[[sources]]`; undefined: none. */
  readonly sources: readonly ConfiguredSource[] | undefined;
  /** Keys of the secrets that the file contains. */
  readonly secrets: readonly string[];
}

/** Source of settings, injected so that tests need neither environment nor files. */
export interface ConfigSource {
  /** Returns the value of an environment variable. */
  readonly env: (name: string) => string | undefined;
  /**
   * Returns the content of a file that a `NAME_FILE` variable names. Throws an error whose message gives the
   * reason.
   */
  readonly readFile: (path: string) => string;
  /** Flags of the command line, which take precedence over the environment. */
  readonly flags?: Layer | undefined;
  /** Configuration file, which the environment takes precedence over. */
  readonly file?: ConfigFile | undefined;
}

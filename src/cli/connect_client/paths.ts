import { posix, win32 } from "node:path";
import { ConfigError } from "../../config/mod.ts";

/** Folders in which clients keep their configuration. */
export interface UserFolders {
  /** Joins paths as the system does. */
  readonly join: (...parts: string[]) => string;
  /** The user's home directory. */
  readonly home: string;
  /** Folder of applications: `~/.config`, `~/Library/Application Support` or `%APPDATA%`. */
  readonly applications: string;
  /** `~/.config`, which some programs also use on macOS, or `%APPDATA%`. */
  readonly config: string;
}

/**
 * Returns the folders of the user.
 *
 * @param env Returns an environment variable.
 * @throws {ConfigError} When the environment contains no home directory.
 */
export function userFolders(
  os: typeof Deno.build.os,
  env: (name: string) => string | undefined,
): UserFolders {
  const missing = new ConfigError("--file must be set: the environment contains no home directory");
  if (os === "windows") {
    const local = env("LOCALAPPDATA");
    if (!local) throw missing;
    const { join } = win32;
    const roaming = join(local, "..", "Roaming");
    return { join, home: join(local, "..", ".."), applications: roaming, config: roaming };
  }
  const home = env("HOME");
  if (!home) throw missing;
  const { join } = posix;
  const config = join(home, ".config");
  const applications = os === "darwin" ? join(home, "Library", "Application Support") : config;
  return { join, home, applications, config };
}

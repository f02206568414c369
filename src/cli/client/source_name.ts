import { basename, resolve } from "node:path";
import { ConfigError } from "../../config/mod.ts";
import { SourceName } from "../../contract/mod.ts";

/** Returns a name for the source of a folder. It may be invalid, such as that of `/`. */
export function nameOfFolder(dir: string): string {
  return basename(resolve(dir)).toLowerCase().replace(/[^a-z0-9_-]+/g, "-").replace(/^[^a-z0-9]+|-+$/g, "")
    .slice(0, 64);
}

/** Returns a name for the source of a host: `docs-example-com`. */
export function nameOfHost(url: string): string {
  const name = new URL(url).hostname.replace(/^www\./, "").toLowerCase().replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return name.slice(0, 64) || "web";
}

/**
 * Returns the name if it is valid.
 *
 * @throws {ConfigError} Otherwise.
 */
export function checkSourceName(name: string): string {
  if (SourceName.safeParse(name).success) return name;
  throw new ConfigError(
    `--name must be 1 to 64 lower-case letters, digits, hyphens or underscores, got ${JSON.stringify(name)}`,
  );
}

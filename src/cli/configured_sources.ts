import { type Config, ConfigError } from "../config/mod.ts";
import { NewSource } from "../contract/mod.ts";
import type { EngineOptions } from "../engine/mod.ts";

/**
 * Returns the sources that the settings define.
 *
 * @throws {ConfigError} For a collection, tag or pattern that a source cannot have.
 */
export function configuredSources({ sources }: Config): NonNullable<EngineOptions["sources"]> {
  return sources.map(({ sections, ...source }) => {
    const descriptions = Object.fromEntries(sections.map(({ prefix, description }) => [prefix, description]));
    const { data, error } = NewSource.safeParse({ ...source, sections: descriptions });
    if (data) return data;
    const { path, message } = error.issues[0] ?? { path: [], message: "it is invalid" };
    throw new ConfigError(`Cannot use the source ${source.name}: ${path.join(".")}: ${message}`);
  });
}

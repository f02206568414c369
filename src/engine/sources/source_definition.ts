import { dirname, isAbsolute, normalize } from "node:path";
import type * as z from "zod";
import type { NewSource } from "../../contract/mod.ts";
import { quoteText, systemReason } from "../../text/mod.ts";
import { KnowledgeBaseError, type SourceDefinition } from "../knowledge_base/mod.ts";

/** A source to add, parsed by the contract's schema. */
export type NewSourceOptions = z.output<typeof NewSource>;

/**
 * Converts a source to the definition that is stored.
 *
 * @param configured Whether the configuration of the engine defines it.
 * @throws {KnowledgeBaseError} `invalid` for a path that is not absolute.
 */
export function definitionOf(source: NewSourceOptions, configured: boolean): SourceDefinition {
  const { name, path, url, ...options } = source;
  if (path === undefined) return { name, type: "web", location: url ?? "", options, configured };
  if (!isAbsolute(path)) {
    throw new KnowledgeBaseError("invalid", "path must be an absolute path on the engine's machine");
  }
  return { name, type: "folder", location: normalize(path).replace(/(?<=.)[/\\]$/, ""), options, configured };
}

/** Throws `invalid` unless there is a folder at a path. The root holds files of the system, such as those of `/proc`. */
export async function requireFolder(path: string): Promise<void> {
  const isRoot = dirname(path) === path;
  const problem = isRoot
    ? "it is the root of the file system. Add the folders with documents"
    : await Deno.stat(path).then(
      ({ isDirectory }) => isDirectory ? undefined : "it is not a folder",
      (error) => systemReason(error),
    );
  if (problem === undefined) return;
  throw new KnowledgeBaseError("invalid", `Cannot add the folder ${quoteText(path, 500)}: ${problem}`);
}

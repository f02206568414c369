import { EngineError } from "../../client/mod.ts";
import type { Source } from "../../contract/mod.ts";
import { findSource } from "../../source_tools/mod.ts";
import { ToolError } from "../../tools/mod.ts";
import { ExitError } from "../exit_status.ts";
import type { ClientContext } from "./client_context.ts";

/**
 * Returns a source by name, or the only one of the engine.
 *
 * @throws {ExitError} If there is no source with the name.
 * @throws {ToolError} Without a name, if there is no source or several.
 */
export async function requireSource(
  name: string | undefined,
  { client: engine, signal }: ClientContext,
): Promise<Source> {
  try {
    return await findSource(name, { engine, signal });
  } catch (error) {
    if (name === undefined || !(error instanceof ToolError)) throw error;
    throw new ExitError(1, error.message, { cause: error });
  }
}

/** Returns all sources; undefined for an engine before contract 3.4. */
export async function supportedSources(
  { client, signal }: Pick<ClientContext, "client" | "signal">,
): Promise<Source[] | undefined> {
  try {
    return await client.sources({ signal });
  } catch (error) {
    if (error instanceof EngineError && error.code === "engine_too_old") return undefined;
    throw error;
  }
}

import { MIN_ENGINE_VERSION } from "../../contract/mod.ts";
import type { EngineAddress } from "../engine_call.ts";
import { EngineError } from "../errors.ts";

/**
 * Checks that an engine is not older than the contract (decision D7). Only the major version counts, because
 * minor versions of the contract are additive.
 *
 * @returns Undefined if the engine can be used. A version that is not semantic can be used: a third-party
 * engine may number its releases in its own way.
 */
export function checkVersion(version: string, engine: EngineAddress): EngineError | undefined {
  const [, major] = /^v?(\d+)\.\d+\.\d+(?:[-+].*)?$/.exec(version) ?? [];
  if (major === undefined || Number(major) >= Number.parseInt(MIN_ENGINE_VERSION)) return undefined;
  return new EngineError(
    "engine_too_old",
    `The ${engine.name} has version ${engine.sanitize(version)}, but kb-mcp needs ${MIN_ENGINE_VERSION} or ` +
      "later. Upgrade the engine, or set KB_ENGINE_URL to a newer one.",
  );
}

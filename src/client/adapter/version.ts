import { MIN_ENGINE_VERSION } from "../../contract/mod.ts";
import type { EngineAddress } from "../engine_call.ts";
import { EngineError } from "../errors.ts";

/** A semantic version: major, minor, patch. */
const SEMANTIC = /^v?(\d+)\.(\d+)\.\d+(?:[-+].*)?$/;

/**
 * Checks that an engine is not older than the contract (decision D7). Only the major version counts, because
 * minor versions of the contract are additive.
 *
 * @returns Undefined if the engine can be used. A version that is not semantic can be used: a third-party
 * engine may number its releases in its own way.
 */
export function checkVersion(version: string, engine: EngineAddress): EngineError | undefined {
  const [, major] = SEMANTIC.exec(version) ?? [];
  if (major === undefined || Number(major) >= Number.parseInt(MIN_ENGINE_VERSION)) return undefined;
  return new EngineError(
    "engine_too_old",
    `The ${engine.name} has version ${engine.sanitize(version)}, but kb-mcp needs ${MIN_ENGINE_VERSION} or ` +
      "later. Upgrade the engine, or set KB_ENGINE_URL to a newer one.",
  );
}

/**
 * Compares the version of an engine with the first contract version that has a feature.
 *
 * @returns Undefined if `version` says nothing about the contract: it is not semantic, or has a later major
 * version, by which an engine of another make numbers its own releases.
 *
 * @example
 * ```ts
 * import { hasContractVersion } from "./version.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(hasContractVersion("3.10.2", "3.3.0"), true);
 * assertEquals(hasContractVersion("2026.11.0", "3.3.0"), undefined);
 * ```
 */
export function hasContractVersion(version: string, minimum: string): boolean | undefined {
  const [, major, minor] = SEMANTIC.exec(version)?.map(Number) ?? [];
  const [minMajor = 0, minMinor = 0] = minimum.split(".").map(Number);
  if (major === undefined || minor === undefined || major > minMajor) return undefined;
  return major === minMajor && minor >= minMinor;
}

/** The error for a feature that an engine does not have. */
export function lacksFeature(
  { feature, minimum, version }: { feature: string; minimum: string; version: string },
  engine: EngineAddress,
): EngineError {
  return new EngineError(
    "engine_too_old",
    `${feature} needs an engine with contract version ${minimum} or later, but the ${engine.name} has ` +
      `${engine.sanitize(version)}. Nothing was changed: tell the user that the engine has to be upgraded.`,
  );
}

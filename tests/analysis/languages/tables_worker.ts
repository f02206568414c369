/**
 * Loads the stemmers or the detector, as the name says, in a thread that has loaded neither, for `tables_test.ts`.
 *
 * @module
 */
import { languagesOf } from "../../../src/analysis/mod.ts";
import { loadDetector, loadedStemmers, loadStemmers } from "../../../src/analysis/languages/tables.ts";

const scope = globalThis as unknown as { name: string; postMessage(message: unknown): void };
const load = scope.name === "detector" ? loadDetector : loadStemmers;
const loads = [load(), load()];
const imports = new Set(loads).size;
await Promise.all(loads);
scope.postMessage({
  imports,
  isLoaded: loadedStemmers() !== undefined,
  ...(scope.name === "detector" && {
    withoutStems: languagesOf("zebra"),
    withStems: languagesOf("Der Bericht ist noch nicht fertig.") ?? "unknown",
  }),
});

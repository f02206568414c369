/**
 * Loads the stemmers in a thread that has not loaded them, for `tables_test.ts`.
 *
 * @module
 */
import { loadedStemmers, loadStemmers } from "../../../src/analysis/languages/tables.ts";

const loads = [loadStemmers(), loadStemmers()];
const imports = new Set(loads).size;
await Promise.all(loads);
(globalThis as unknown as { postMessage(message: unknown): void }).postMessage({
  imports,
  isLoaded: loadedStemmers() !== undefined,
});

import { DEFAULT_MODEL } from "../models/catalogue.ts";
import { locateModel } from "../models/locate.ts";
import type { Logger } from "../telemetry/mod.ts";
import type { ModelFiles } from "./model_source.ts";
import type { BuiltinModelSettings } from "./options.ts";

/** Returns access to the files of the configured model: next to the program, or in the data directory. */
export function installedModel(
  { model, mayDownload }: BuiltinModelSettings,
  { dataDir, log }: { readonly dataDir: string; readonly log: Logger },
): ModelFiles {
  const name = model === "builtin" ? DEFAULT_MODEL : model;
  return {
    name,
    locate: async () => (await locateModel(name, { dataDir }))?.path,
    async download(signal) {
      // Loaded on demand: most servers find the file.
      const { ensureModel } = await import("../models/mod.ts");
      await ensureModel(name, { dataDir, signal, log, mayDownload });
    },
  };
}

import {
  CATALOGUE,
  findModel,
  findOcrLanguage,
  listModelFiles,
  listOcrLanguages,
  ModelError,
  modelFolder,
  OCR_LANGUAGES,
  programFolders,
  readInstalledModel,
} from "../models/mod.ts";
import { alignColumns } from "./format.ts";

/** A model that is installed or can be. */
export interface ListedModel {
  readonly name: string;
  readonly state: "installed" | "available" | "damaged";
  /** Size of the model file, in bytes. */
  readonly bytes: number | undefined;
  readonly license: string;
  readonly languages: string;
}

/** Lists installed models, of the program and of the data directory, then those that can be downloaded. */
export async function listModels(dataDir: string): Promise<ListedModel[]> {
  const models = new Map<string, ListedModel>();
  for (const folder of [...programFolders(), modelFolder(dataDir)]) {
    for (const { name, path } of await listModelFiles(folder)) {
      // The first one is used.
      if (!models.has(name.toLowerCase())) models.set(name.toLowerCase(), await readListed(name, path));
    }
  }
  for (const { name, license, languages, bytes } of CATALOGUE) {
    const key = name.toLowerCase();
    if (!models.has(key)) models.set(key, { name, state: "available", bytes, license, languages });
  }
  return [...models.values(), ...await listOcr(dataDir)];
}

/** Lists language data for OCR: installed ones, then those that can be downloaded. */
async function listOcr(dataDir: string): Promise<ListedModel[]> {
  const installed = await listOcrLanguages(dataDir);
  const available = OCR_LANGUAGES.filter(({ name }) => !installed.some((each) => each.name === name));
  return [
    ...installed.map(({ name, bytes }) => ({
      name,
      state: "installed" as const,
      bytes,
      ...describeOcr(name),
    })),
    ...available.map(({ name, bytes }) => ({
      name,
      state: "available" as const,
      bytes,
      ...describeOcr(name),
    })),
  ];
}

function describeOcr(name: string): Pick<ListedModel, "license" | "languages"> {
  const known = findOcrLanguage(name);
  return { license: known?.license ?? "unknown", languages: `${known?.language ?? "unknown"} (OCR)` };
}

async function readListed(name: string, path: string): Promise<ListedModel> {
  const languages = findModel(name)?.languages ?? "unknown";
  try {
    const { bytes, license } = await readInstalledModel(path);
    return { name, state: "installed", bytes, license, languages };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { name, state: "damaged", bytes: undefined, license: "unknown", languages };
  }
}

/**
 * Formats models as a table.
 *
 * @param active Name of the model that the settings select.
 */
export function formatModels(models: readonly ListedModel[], active: string | undefined): string {
  const rows = models.map(({ name, state, bytes, license, languages }) => {
    const isActive = name.toLowerCase() === active?.toLowerCase();
    const label = isActive ? state === "installed" ? "active" : `active, ${state}` : state;
    return [name, label, bytes === undefined ? "" : formatBytes(bytes), license, languages];
  });
  return alignColumns([["NAME", "STATE", "SIZE", "LICENSE", "LANGUAGES"], ...rows]);
}

/** Formats a size: `24.9 MB`. */
export function formatBytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

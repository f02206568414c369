/**
 * Embedding models: the catalogue, conversion from published checkpoints, installation, and finding the files.
 *
 * @module
 */
export {
  CATALOGUE,
  type CatalogueModel,
  type CheckpointFile,
  DEFAULT_MODEL,
  findModel,
} from "./catalogue.ts";
export { ensureModel, type EnsureModelOptions } from "./ensure.ts";
export { ModelError, type ModelErrorCode } from "./errors.ts";
export { installModel, installModelFile, type InstallOptions } from "./install.ts";
export { type InstalledModel, readInstalledModel } from "./installed_model.ts";
export { installOcrFile, installOcrLanguage, isOcrFile, type OcrInstallOptions } from "./install_ocr.ts";
export {
  findOcrLanguage,
  type InstalledOcrLanguage,
  listOcrLanguages,
  OCR_LANGUAGES,
  type OcrLanguageModel,
} from "./ocr_languages.ts";
export { sha256OfFile } from "./sha256.ts";
export { listModelFiles, locateModel, type LocateOptions, modelFolder, programFolders } from "./locate.ts";

/**
 * Moves documents out of and into a knowledge base: exports as Markdown or JSON, and imports of exports and from other
 * programs. Works over the client of the engine, so with any engine.
 *
 * @module
 */
export { exportJsonl, exportMarkdown, type ExportOptions, type ExportReport } from "./export/export.ts";
export { ExportError } from "./export/export_directory.ts";
export type { ExportFilters } from "./export/list_documents.ts";
export { findFormat } from "./find_format.ts";
export { readExport } from "./formats/exported.ts";
export type { FormatName } from "./formats/names.ts";
export { type ImportedFile, ImportError, type ImportItem } from "./import_items.ts";
export { type ImportOptions, importSource } from "./import_source.ts";
export { type ImportReport, runImport, type RunOptions } from "./run_import.ts";

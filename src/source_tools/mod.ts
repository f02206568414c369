/**
 * Tools for the sources of a knowledge base, as a folder of notes or a documentation has them: sections, briefs, digest,
 * health, export, new files, and synchronization. `KB_MCP_SOURCE_TOOLS` adds them to the others.
 *
 * @module
 */
import type { Tool } from "../tools/mod.ts";
import { kbContext } from "./kb_context.ts";
import { kbDigest } from "./kb_digest.ts";
import { kbExport } from "./kb_export.ts";
import { kbHealth } from "./kb_health.ts";
import { kbReindex } from "./kb_reindex.ts";
import { kbSections } from "./kb_sections.ts";
import { kbWrite } from "./kb_write.ts";

export { type Brief, briefOf } from "./kb_context.ts";
export { documentsToExport, exportDocument, exportHeader, type ExportScope } from "./export_source.ts";
export { findSource, type SourceContext } from "./find_source.ts";
export { type ReadVault, readVault } from "./read_vault.ts";
export { emptySection, sectionPrefix } from "./section.ts";

/** All tools for sources, in their listed order. */
export const sourceTools: readonly Tool[] = [
  kbSections,
  kbContext,
  kbDigest,
  kbHealth,
  kbExport,
  kbWrite,
  kbReindex,
];

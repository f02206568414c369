import type { ToolAnnotations } from "../../src/tools/mod.ts";

/** Annotations of a read-only, idempotent test tool. */
export const annotations: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

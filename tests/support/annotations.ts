import type { ToolAnnotations } from "../../src/tools/mod.ts";

/** What tools of tests say of themselves: they only read, and the same each time. */
export const annotations: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

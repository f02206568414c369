import * as z from "zod";
import { MAX_BUDGET_TOKENS, SourceName } from "../contract/mod.ts";

/** Name of a source. Not the contract's pattern, which would cost tokens in every schema: unknown names are reported. */
export const SourceArgument = z.string().min(1).max(64).refine(
  (name) => SourceName.safeParse(name).success,
  "must be the name of a source, see kb_sections",
).optional().describe("Needed if there are several.");

/** A folder in a source. */
export const SectionArgument = z.string().min(1).max(500).optional()
  .describe("Only this section, or folder below it.");

/** Budget of an output. */
export const MaxTokens = z.int().min(200).max(MAX_BUDGET_TOKENS).describe("Budget for the answer.");

/** Annotations of a tool that only reads. */
export const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

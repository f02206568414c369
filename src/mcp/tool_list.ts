import * as z from "zod";
import type { Tool } from "../tools/mod.ts";
import { compactSchema, type JsonSchema, omitLooseLimits } from "./compact_schema.ts";

/** A tool in the result of `tools/list` (MCP, `Tool`). */
export interface ToolDescription {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object"; [keyword: string]: unknown };
  outputSchema: { type: "object"; [keyword: string]: unknown };
  annotations: Record<string, boolean>;
}

/**
 * Returns the result of `tools/list`, in the order of `tools`. No icons: clients load the list in every conversation, and
 * few show them.
 */
export function listTools(tools: readonly Tool[]): { tools: ToolDescription[] } {
  return { tools: tools.map(describeTool) };
}

/** No title in the annotations: the one next to the name takes precedence (MCP, `BaseMetadata`). */
function describeTool(tool: Tool): ToolDescription {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...omitLooseLimits(toJsonSchema(tool.input, "input")), type: "object" },
    outputSchema: { ...toJsonSchema(tool.output, "output"), type: "object" },
    annotations: { ...tool.annotations },
  };
}

/** Draft 2020-12 is MCP's default dialect, so schemas need no `$schema`. */
function toJsonSchema(schema: z.ZodObject, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, target: "draft-2020-12" });
  return compactSchema(json);
}

import { z } from "zod";
import type { Tool } from "../tools/mod.ts";

/** A tool as `tools/list` describes it (MCP 2025-11-25, `Tool`). */
export interface ToolDescription {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object"; [keyword: string]: unknown };
  outputSchema: { type: "object"; [keyword: string]: unknown };
  annotations: Record<string, boolean | string>;
}

/**
 * The answer to `tools/list`. Built once per server: turning schemas into JSON Schema for every request was two
 * thirds of what that request cost.
 *
 * @param tools In the order in which they are to be listed.
 */
export function listTools(tools: readonly Tool[]): { tools: ToolDescription[] } {
  return { tools: tools.map(describeTool) };
}

function describeTool(tool: Tool): ToolDescription {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchema(tool.input, "input"),
    outputSchema: jsonSchema(tool.output, "output"),
    annotations: { title: tool.title, ...tool.annotations },
  };
}

/** JSON Schema 2020-12, MCP's default dialect, which therefore need not be named in each schema. */
function jsonSchema(schema: z.ZodObject, io: "input" | "output"): ToolDescription["inputSchema"] {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io, target: "draft-2020-12" });
  return { ...json, type: "object" };
}

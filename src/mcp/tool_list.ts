import * as z from "zod";
import type { Tool } from "../tools/mod.ts";
import { type Icon, iconOf } from "./icon.ts";
import { compactSchema, type JsonSchema, withoutFarLimits } from "./compact_schema.ts";

/** A tool as `tools/list` describes it (MCP, `Tool`). */
export interface ToolDescription {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object"; [keyword: string]: unknown };
  outputSchema: { type: "object"; [keyword: string]: unknown };
  annotations: Record<string, boolean>;
  icons?: Icon[];
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

/** The title stands beside the name, where it wins over the one in the annotations (MCP, `BaseMetadata`). */
function describeTool(tool: Tool): ToolDescription {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...withoutFarLimits(jsonSchema(tool.input, "input")), type: "object" },
    outputSchema: { ...jsonSchema(tool.output, "output"), type: "object" },
    annotations: { ...tool.annotations },
    ...(tool.icon === undefined ? {} : { icons: [iconOf(tool.icon)] }),
  };
}

/** JSON Schema 2020-12, MCP's default dialect, which therefore need not be named in each schema. */
function jsonSchema(schema: z.ZodObject, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io, target: "draft-2020-12" });
  return compactSchema(json);
}

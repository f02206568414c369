import * as z from "zod";
import type { Scope } from "../keys/mod.ts";
import type { Tool } from "../tools/mod.ts";
import { compactSchema, type JsonSchema, portableInput } from "./compact_schema.ts";
import { allowedTools, forbiddenArguments } from "./scope_check.ts";

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
 * Returns the result of `tools/list` for keys with a scope, in the order of `tools`: without the tools and arguments that
 * need a wider one. No icons: clients load the list in every conversation, and
 * few show them.
 */
export function listTools(tools: readonly Tool[], scope: Scope = "write"): { tools: ToolDescription[] } {
  return { tools: allowedTools(tools, scope).map((tool) => describeTool(tool, scope)) };
}

/** No title in the annotations: the one next to the name takes precedence (MCP, `BaseMetadata`). */
function describeTool(tool: Tool, scope: Scope): ToolDescription {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: {
      ...without(portableInput(toJsonSchema(tool.input, "input")), forbiddenArguments(tool, scope)),
      type: "object",
    },
    outputSchema: { ...compactSchema(toJsonSchema(tool.output, "output")), type: "object" },
    annotations: { ...tool.annotations },
  };
}

/** Returns the schema of an object without some of its optional properties. */
function without(schema: JsonSchema, names: readonly string[]): JsonSchema {
  if (names.length === 0) return schema;
  const properties = Object.entries(schema["properties"] ?? {}).filter(([name]) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Draft 2020-12 is MCP's default dialect, so schemas need no `$schema`. */
function toJsonSchema(schema: z.ZodObject, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, target: "draft-2020-12" });
  return json;
}

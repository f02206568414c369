import {
  describeError,
  describeInput,
  type Tool,
  type ToolContext,
  withoutNullArguments,
} from "../tools/mod.ts";

/** The result of `tools/call` (MCP 2025-11-25, `CallToolResult`). */
export interface ToolResult {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  [key: string]: unknown;
}

/** A result, and its JSON text. */
export interface SerializedToolResult {
  readonly result: ToolResult;
  readonly json: string;
}

/**
 * Checks the arguments of a tool call, runs the tool, and turns what comes of it into a result.
 *
 * Never throws: what a model did wrong is a result with `isError`, which the model sees and can put right, while
 * clients tend to keep protocol errors to themselves (SEP-1303).
 */
export async function callTool(
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<SerializedToolResult> {
  const input = tool.input.safeParse(withoutNullArguments(tool.input, args));
  if (!input.success) return failure(describeInput(tool, args, input.error));
  try {
    const output = await tool.run(input.data, context);
    // The text mirrors structuredContent for clients that know only text; serialised once for both.
    const text = JSON.stringify(output);
    return {
      result: { content: [{ type: "text", text }], structuredContent: output },
      json: `{"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}}`,
    };
  } catch (error) {
    return failure(describeError(error, { tool: tool.name, log: context.log }));
  }
}

function failure(text: string): SerializedToolResult {
  const result: ToolResult = { content: [{ type: "text", text }], isError: true };
  return { result, json: JSON.stringify(result) };
}

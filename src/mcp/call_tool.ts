import {
  type ContentBlock,
  describeError,
  describeInput,
  type Tool,
  type ToolContext,
  withoutNullArguments,
} from "../tools/mod.ts";

/** The result of `tools/call` (MCP, `CallToolResult`). */
export interface ToolResult {
  content: ContentBlock[];
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
 *
 * @param links Whether the client's revision knows `resource_link` (2025-06-18 and later).
 */
export async function callTool(
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
  links: boolean,
): Promise<SerializedToolResult> {
  const input = tool.input.safeParse(withoutNullArguments(tool.input, args));
  if (!input.success) return failure(describeInput(tool, args, input.error));
  try {
    const output = await tool.run(input.data, context);
    // The text mirrors structuredContent for clients that know only text; serialised once for both.
    const text = JSON.stringify(output);
    const further = (tool.content?.(output) ?? []).filter(({ type }) => links || type !== "resource_link");
    return {
      result: { content: [{ type: "text", text }, ...further], structuredContent: output },
      json: `{"content":[{"type":"text","text":${JSON.stringify(text)}}${
        further.map((block) => `,${JSON.stringify(block)}`).join("")
      }],"structuredContent":${text}}`,
    };
  } catch (error) {
    return failure(describeError(error, { tool: tool.name, log: context.log }));
  }
}

function failure(text: string): SerializedToolResult {
  const result: ToolResult = { content: [{ type: "text", text }], isError: true };
  return { result, json: JSON.stringify(result) };
}

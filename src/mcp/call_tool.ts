import type { CallToolResult } from "@modelcontextprotocol/sdk/types";
import {
  describeError,
  describeInput,
  type Tool,
  type ToolContext,
  withoutNullArguments,
} from "../tools/mod.ts";

/** Maximum length of a tool's result as JSON, in UTF-16 code units. Its response repeats it as text. */
export const MAX_RESULT_CHARS = 4 * 2 ** 20;

/** Options of {@linkcode callTool}. */
export interface CallToolOptions {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly context: ToolContext;
  /** Whether the client's protocol version has `resource_link` (2025-06-18 and later). */
  readonly resourceLinks: boolean;
}

/**
 * Validates the arguments of a tool call, runs the tool and returns the JSON text of a `CallToolResult`.
 *
 * Never rejects: an error is a result with `isError`, which the model sees and can correct, while clients
 * tend to hide protocol errors from the model (SEP-1303).
 */
export async function callTool(tool: Tool, options: CallToolOptions): Promise<string> {
  const { context, resourceLinks } = options;
  const input = tool.input.safeParse(withoutNullArguments(tool.input, options.arguments));
  if (!input.success) return errorResult(describeInput(tool, options.arguments, input.error));
  try {
    if (tool.engineVersion !== undefined) {
      // Its routes may be unknown to an older engine, whose error would blame the arguments.
      const { engine, signal } = context;
      await engine.requireVersion(tool.name, { minimum: tool.engineVersion, orUnknown: true, signal });
    }
    const output = await tool.run(input.data, context);
    const further = tool.content?.(output).filter(({ type }) => resourceLinks || type !== "resource_link") ??
      [];
    // The text mirrors structuredContent, for clients without it. The output is serialized once for both.
    const json = JSON.stringify(output);
    if (json.length > MAX_RESULT_CHARS) return errorResult(tooLarge(json.length));
    const text = `{"type":"text","text":${JSON.stringify(json)}}`;
    const content = [text, ...further.map((block) => JSON.stringify(block))].join();
    return `{"content":[${content}],"structuredContent":${json}}`;
  } catch (error) {
    return errorResult(describeError(error, { tool: tool.name, log: context.log }));
  }
}

function tooLarge(chars: number): string {
  return `The result has ${chars} characters and must have at most ${MAX_RESULT_CHARS}: ask for less at a time.`;
}

function errorResult(text: string): string {
  return JSON.stringify({ content: [{ type: "text", text }], isError: true } satisfies CallToolResult);
}

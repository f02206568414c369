import type { CallToolResult } from "@modelcontextprotocol/sdk/types";
import type * as z from "zod";
import type { CallOutcome } from "./call_recorder.ts";
import { denial, SCOPE_REQUIRED } from "./scope_check.ts";
import { joinText, type Text } from "../text/mod.ts";
import {
  describeError,
  describeInput,
  EncodedOutput,
  errorCode,
  parseArguments,
  type Tool,
  type ToolContext,
} from "../tools/mod.ts";

/** Maximum length of a tool's result as JSON, in UTF-16 code units. Its response repeats it as text. */
export const MAX_RESULT_CHARS = 4 * 2 ** 20;

/** Options of {@linkcode callTool}. */
export interface CallToolOptions {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly context: ToolContext;
  /** Whether results may have links: the server has them on, and the client's protocol version has them. */
  readonly resourceLinks: boolean;
}

/** The result of a tool call. */
export interface ToolCallResult extends CallOutcome {
  /** JSON text of a `CallToolResult`. */
  readonly json: Text;
}

/**
 * Checks the arguments and the scope of a tool call, runs the tool and returns its result with how it ended.
 *
 * Never rejects: an error is a result with `isError`, which the model sees and can correct, while clients
 * tend to hide protocol errors from the model (SEP-1303).
 */
export async function callTool(tool: Tool, options: CallToolOptions): Promise<ToolCallResult> {
  const { context, resourceLinks } = options;
  const { arguments: args, result: input } = parseArguments(tool.input, options.arguments);
  // The arguments that were understood: another spelling of one that needs a wider scope is no way around it.
  const denied = denial(tool, args, context.caller);
  if (denied !== undefined) return errorResult(SCOPE_REQUIRED, denied);
  if (!input.success) return errorResult("invalid_arguments", describeInput(tool, args, input.error));
  try {
    if (tool.engineVersion !== undefined) {
      // Its routes may be unknown to an older engine, whose error would blame the arguments.
      const { engine, signal } = context;
      await engine.requireVersion(tool.name, { minimum: tool.engineVersion, orUnknown: true, signal });
    }
    const output = await tool.run(input.data, context);
    const { json, quoted, chars, content } = output instanceof EncodedOutput ? output : encode(tool, output);
    if (chars > MAX_RESULT_CHARS) return errorResult("too_large", tooLarge(chars));
    const further = content
      .filter(({ type }) => resourceLinks || type !== "resource_link")
      .map((block) => `,${JSON.stringify(block)}`).join("");
    const result = [
      '{"content":[{"type":"text","text":',
      ...quoted,
      `}${further}],"structuredContent":`,
      ...json,
      "}",
    ];
    return output instanceof EncodedOutput
      ? { json: result, ...OK }
      : { json: joinText(result), ...describeOutput(output) };
  } catch (error) {
    return errorResult(errorCode(error), describeError(error, { tool: tool.name, log: context.log }));
  }
}

/** Encodes an output once, for the text that mirrors structuredContent for clients without it. */
function encode(tool: Tool, output: z.input<Tool["output"]>) {
  const json = JSON.stringify(output);
  return {
    json: [json],
    quoted: [JSON.stringify(json)],
    chars: json.length,
    content: tool.content?.(output) ?? [],
  };
}

function tooLarge(chars: number): string {
  return `The result has ${chars} characters and must have at most ${MAX_RESULT_CHARS}: ask for less at a time.`;
}

const OK: CallOutcome = { outcome: "ok" };

/** Fields of outputs that the log may show: ids, which say nothing about a document. */
const ID_FIELDS = ["document_id", "job_id"];
/** Maximum length of an id in the log. Ids of third-party engines are text. */
const MAX_ID_CHARS = 64;

/** Returns how a call with this output ended: a conflict is a result that has changed nothing. */
function describeOutput(output: Readonly<Record<string, unknown>>): CallOutcome {
  const isConflict = output["status"] === "conflict" || output["outcome"] === "conflict";
  const ids: Record<string, unknown> = {};
  for (const name of ID_FIELDS) {
    const id = output[name];
    if (typeof id === "number") ids[name] = id;
    else if (typeof id === "string") ids[name] = id.slice(0, MAX_ID_CHARS);
  }
  return { outcome: isConflict ? "conflict" : "ok", ids };
}

function errorResult(outcome: string, text: string): ToolCallResult {
  const result = { content: [{ type: "text", text }], isError: true } satisfies CallToolResult;
  return { json: JSON.stringify(result), outcome };
}

import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { listTools, type ToolDescription } from "../src/mcp/tool_list.ts";
import { tools } from "../src/tools/mod.ts";

/** Most tokens that `tools/list` may cost. Every agent that connects pays them, in every conversation. */
export const TOKEN_BUDGET = 4500;

/** Tokens of one tool; what is in no column (name, title, punctuation) is in the total only. */
export interface ToolCost {
  readonly tool: string;
  readonly description: number;
  readonly input: number;
  readonly output: number;
  readonly annotations: number;
  readonly icons: number;
  readonly total: number;
}

/** What the tool list costs in tokens of o200k_base, as the JSON that goes over the wire. */
export function tokenCost(): { tools: ToolCost[]; total: number } {
  const list = listTools(tools);
  return { tools: list.tools.map(costOf), total: tokens(list) };
}

function costOf(tool: ToolDescription): ToolCost {
  return {
    tool: tool.name,
    description: tokens(tool.description),
    input: tokens(tool.inputSchema),
    output: tokens(tool.outputSchema),
    annotations: tokens(tool.annotations),
    icons: tokens(tool.icons ?? []),
    total: tokens(tool),
  };
}

function tokens(value: unknown): number {
  return encode(JSON.stringify(value)).length;
}

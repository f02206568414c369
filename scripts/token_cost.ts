/**
 * `deno task tokens`: prints the token cost of `tools/list`, and fails above the budget.
 *
 * @module
 */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { listTools, type ToolDescription } from "../src/mcp/tool_list.ts";
import { tools } from "../src/tools/mod.ts";
import { print } from "./print.ts";

/** Maximum number of tokens in `tools/list`. Every connected agent pays for them in every conversation. */
export const TOKEN_BUDGET = 4500;

/** Token counts of one tool. `total` also covers its name, title and punctuation. */
export interface ToolCost {
  readonly tool: string;
  readonly description: number;
  readonly input: number;
  readonly output: number;
  readonly annotations: number;
  readonly icons: number;
  readonly total: number;
}

/** Counts the o200k_base tokens of `tools/list`, serialized as JSON the way the server sends it. */
export function tokenCost(): { tools: ToolCost[]; total: number } {
  const list = listTools(tools);
  return { tools: list.tools.map(costOf), total: countTokens(list) };
}

function costOf(tool: ToolDescription): ToolCost {
  return {
    tool: tool.name,
    description: countTokens(tool.description),
    input: countTokens(tool.inputSchema),
    output: countTokens(tool.outputSchema),
    annotations: countTokens(tool.annotations),
    icons: countTokens(tool.icons ?? []),
    total: countTokens(tool),
  };
}

function countTokens(value: unknown): number {
  return encode(JSON.stringify(value)).length;
}

if (import.meta.main) {
  const columns = ["description", "input", "output", "annotations", "icons", "total"] as const;
  const printRow = (name: string, cells: readonly (string | number)[]) =>
    print(name.padEnd(18) + cells.map((cell) => String(cell).padStart(12)).join(""));
  const { tools, total } = tokenCost();
  printRow("", columns);
  for (const cost of tools) printRow(cost.tool, columns.map((column) => cost[column]));
  print(`\ntools/list costs ${total} tokens (o200k_base); the budget is ${TOKEN_BUDGET}.`);
  if (total > TOKEN_BUDGET) {
    print("Shorten descriptions and schemas in src/tools.");
    Deno.exit(1);
  }
}

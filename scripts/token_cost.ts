/**
 * `deno task tokens`: prints the token cost of `tools/list`, and fails above a budget.
 *
 * @module
 */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { listTools, type ToolDescription } from "../src/mcp/tool_list.ts";
import { instructions as text, tools } from "../src/tools/mod.ts";
import { print } from "./print.ts";

/**
 * Maximum number of tokens in `tools/list`: the part that clients show to the model (name, description and input schema),
 * and the whole list on the wire; and in the server's instructions. Every connected agent pays for them in every
 * conversation.
 */
export const TOKEN_BUDGETS = { model: 3_300, wire: 5_000, instructions: 320 };

/** Token counts of one tool. `total` also covers its name, title and punctuation. */
export interface ToolCost {
  readonly tool: string;
  readonly description: number;
  readonly input: number;
  readonly output: number;
  readonly annotations: number;
  readonly total: number;
}

/** Counts the o200k_base tokens of `tools/list` as JSON (what the model reads, and the whole list) and of the instructions. */
export function tokenCost(): { tools: ToolCost[]; model: number; wire: number; instructions: number } {
  const list = listTools(tools);
  const modelList = list.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  return {
    tools: list.tools.map(costOf),
    model: countTokens(modelList),
    wire: countTokens(list),
    instructions: encode(text).length,
  };
}

function costOf(tool: ToolDescription): ToolCost {
  return {
    tool: tool.name,
    description: countTokens(tool.description),
    input: countTokens(tool.inputSchema),
    output: countTokens(tool.outputSchema),
    annotations: countTokens(tool.annotations),
    total: countTokens(tool),
  };
}

function countTokens(value: unknown): number {
  return encode(JSON.stringify(value)).length;
}

if (import.meta.main) {
  const columns = ["description", "input", "output", "annotations", "total"] as const;
  const printRow = (name: string, cells: readonly (string | number)[]) =>
    print(name.padEnd(18) + cells.map((cell) => String(cell).padStart(12)).join(""));
  const { tools, ...cost } = tokenCost();
  printRow("", columns);
  for (const row of tools) printRow(row.tool, columns.map((column) => row[column]));
  const { model, wire, instructions } = TOKEN_BUDGETS;
  print(`\nThe model reads ${cost.model} tokens (o200k_base); the budget is ${model}.`);
  print(`The whole list has ${cost.wire} tokens on the wire; the budget is ${wire}.`);
  print(`The instructions have ${cost.instructions} tokens; the budget is ${instructions}.`);
  if (cost.model > model || cost.wire > wire || cost.instructions > instructions) {
    print("Shorten descriptions, schemas and instructions in src/tools.");
    Deno.exit(1);
  }
}

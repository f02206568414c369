/**
 * `deno task tokens`: prints the token cost of `tools/list`, and fails above a budget.
 *
 * @module
 */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { listTools, type ToolDescription } from "../src/mcp/tool_list.ts";
import { sourceTools } from "../src/source_tools/mod.ts";
import { instructionsFor, type Tool, tools } from "../src/tools/mod.ts";
import { print } from "./print.ts";

/**
 * Maximum number of tokens in `tools/list`: the part that clients show to the model (name, description and input schema),
 * and the whole list on the wire; and in the server's instructions. Every connected agent pays for them in every
 * conversation.
 */
export const TOKEN_BUDGETS = { model: 3_300, wire: 5_000, instructions: 320 };

/** Maximum number of tokens that the tools for sources (`KB_MCP_SOURCE_TOOLS`) add to both. */
export const SOURCE_TOOL_BUDGETS = { model: 1_150, wire: 1_900 };

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
export function tokenCost(
  listed: readonly Tool[] = tools,
): { tools: ToolCost[]; model: number; wire: number; instructions: number } {
  const list = listTools(listed);
  const modelList = list.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  return {
    tools: list.tools.map(costOf),
    model: countTokens(modelList),
    wire: countTokens(list),
    instructions: encode(instructionsFor("write")).length,
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
  const sources = tokenCost(sourceTools);
  printRow("", columns);
  for (const row of [...tools, ...sources.tools]) printRow(row.tool, columns.map((column) => row[column]));
  const { model, wire, instructions } = TOKEN_BUDGETS;
  print(`\nThe model reads ${cost.model} tokens (o200k_base); the budget is ${model}.`);
  print(`The whole list has ${cost.wire} tokens on the wire; the budget is ${wire}.`);
  print(`The instructions have ${cost.instructions} tokens; the budget is ${instructions}.`);
  print(
    `The tools for sources add ${sources.model} and ${sources.wire}; their budgets are ` +
      `${SOURCE_TOOL_BUDGETS.model} and ${SOURCE_TOOL_BUDGETS.wire}.`,
  );
  const isOver = sources.model > SOURCE_TOOL_BUDGETS.model || sources.wire > SOURCE_TOOL_BUDGETS.wire;
  if (isOver || cost.model > model || cost.wire > wire || cost.instructions > instructions) {
    print("Shorten descriptions, schemas and instructions in src/tools and src/source_tools.");
    Deno.exit(1);
  }
}

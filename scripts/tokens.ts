/**
 * `deno task tokens`: prints what `tools/list` costs an agent, and fails above the budget.
 *
 * @module
 */
import { print } from "./print.ts";
import { TOKEN_BUDGET, tokenCost, type ToolCost } from "./token_cost.ts";

const COLUMNS = ["description", "input", "output", "annotations", "icons", "total"] as const;

const { tools, total } = tokenCost();
const line = (name: string, cells: readonly (string | number)[]) =>
  print(name.padEnd(18) + cells.map((cell) => String(cell).padStart(12)).join(""));
line("", COLUMNS);
for (const tool of tools) line(tool.tool, COLUMNS.map((column: keyof ToolCost) => tool[column]));
print(`\ntools/list costs ${total} tokens (o200k_base); the budget is ${TOKEN_BUDGET}.`);
if (total > TOKEN_BUDGET) {
  print("Shorten descriptions and schemas in src/tools.");
  Deno.exit(1);
}

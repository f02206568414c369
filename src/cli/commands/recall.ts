import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";
import { integerOption } from "../option_values.ts";
import type { RecallOptions } from "../recall.ts";
import { addSettings } from "../setting_options.ts";

/** `kb-mcp recall`. */
export function recallCommand(context: CommandContext): Command {
  return addSettings(new Command("recall"), "recall")
    .summary("print the titles of the most recent and the most used memories, for the start of a session")
    .description(
      "Print the titles of the most recent and the most used memories of a running server, for the start of a session.",
    )
    .option("-c, --collection <name>", "collection to read", "memory")
    .option(
      "-n, --limit <n>",
      "maximum number of recent and of used memories",
      integerOption("--limit", 1, 50),
      15,
    )
    .option(
      "--max-tokens <n>",
      "maximum size of the output",
      integerOption("--max-tokens", 100, 20_000),
      1000,
    )
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp recall", "Print the memories of the server on this machine"],
          ["kb-mcp recall --collection workspace --limit 5", "Print fewer titles of another collection"],
        ],
        exitStatus: { 1: "the server cannot be reached or reports an error" },
      }),
    )
    .action(async (options: RecallOptions) => {
      const { recall } = await import("../recall.ts");
      context.print(await recall(options, await context.config(), () => context.defaultDataDir()));
    });
}

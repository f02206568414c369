import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";
import { addSettings } from "../setting_options.ts";
import { withJson } from "./client_options.ts";

/** `kb-mcp check`. */
export function checkCommand(context: CommandContext): Command {
  return withJson(addSettings(new Command("check"), ["KB_DATA_DIR"]))
    .summary("check the stored data; the engine may keep running")
    .description(
      "Check the stored data completely: pages, references, full-text indexes, vectors and queued files. Changes " +
        "nothing; the engine may keep running.",
    )
    .addHelpText(
      "after",
      helpSections({
        examples: [["kb-mcp check", "Check the data directory"]],
        exitStatus: { 65: "the stored data is damaged or missing" },
      }),
    )
    .action(async ({ json = !context.isTerminal }: { json?: boolean }) => {
      const { runCheck } = await import("../maintenance.ts");
      context.exit(runCheck({ json }, await context.config(), context));
    });
}

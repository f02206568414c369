import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { warnOfRootFiles } from "../files_of_root.ts";
import { helpSections } from "../help_text.ts";
import { addSettings } from "../setting_options.ts";
import { jsonReport } from "./client_options.ts";

/** `kb-mcp repair`. */
export function repairCommand(context: CommandContext): Command {
  return addSettings(new Command("repair"), ["KB_DATA_DIR"])
    .summary("recover the readable data of a damaged database; the engine must be stopped")
    .description("Recover the readable data of a damaged database. The engine must be stopped.")
    .option("--into <dir>", "write the result to a new data directory, and change nothing in this one")
    .option(...jsonReport)
    .addHelpText(
      "after",
      helpSections({
        examples: [["kb-mcp repair", "Repair the data directory; the damaged files are kept"]],
        exitStatus: { 65: "nothing can be read" },
      }),
    )
    .action(async (options: { into?: string; json?: boolean }) => {
      const { runRepair } = await import("../maintenance.ts");
      const config = await context.config();
      context.exit(await warnOfRootFiles(context, () => runRepair(options, config, context)));
    });
}

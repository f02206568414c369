import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { warnOfRootFiles } from "../files_of_root.ts";
import { helpSections } from "../help_text.ts";
import { addSettings } from "../setting_options.ts";
import { jsonReport } from "./client_options.ts";

/** `kb-mcp vacuum`. */
export function vacuumCommand(context: CommandContext): Command {
  return addSettings(new Command("vacuum"), ["KB_DATA_DIR"])
    .summary("return unused space of the database to the disk; the engine must be stopped")
    .description(
      "Return the space that deleted documents have left in the database to the disk, and pack the texts of documents. " +
        "The engine must be stopped. Needs as much free space as the database.",
    )
    .option(...jsonReport)
    .addHelpText(
      "after",
      helpSections({
        examples: [["kb-mcp vacuum", "Shrink the database of the data directory"]],
        exitStatus: { 65: "the stored data is damaged" },
      }),
    )
    .action(async (options: { json?: boolean }) => {
      const { runVacuum } = await import("../maintenance.ts");
      const config = await context.config();
      await warnOfRootFiles(context, () => runVacuum(options, config, context));
    });
}

import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";
import { addSettings } from "../setting_options.ts";

/** `kb-mcp backup`. */
export function backupCommand(context: CommandContext): Command {
  return addSettings(new Command("backup"), ["KB_DATA_DIR"])
    .summary("write a checked copy of the database to a new file; the engine may keep running")
    .description("Write a checked copy of the database to a new file. The engine may keep running.")
    .argument("<file>", "file to write, which must not exist")
    .addHelpText(
      "after",
      helpSections({
        examples: [["kb-mcp backup kb-backup.db", "Back up the data directory"]],
        exitStatus: { 65: "the stored data is damaged" },
      }),
    )
    .action(async (file: string) => {
      const { runBackup } = await import("../maintenance.ts");
      context.exit(await runBackup(file, await context.config(), context));
    });
}

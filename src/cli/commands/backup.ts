import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";
import type { BackupFlags } from "../maintenance.ts";
import { addSettings } from "../setting_options.ts";
import { jsonReport } from "./client_options.ts";

/** `kb-mcp backup`. */
export function backupCommand(context: CommandContext): Command {
  return addSettings(new Command("backup"), ["KB_DATA_DIR"])
    .summary("write a checked copy of the database to a new file; the engine may keep running")
    .description("Write a checked copy of the database to a new file. The engine may keep running.")
    .argument("<file>", "file to write, which must not exist: .zst, .gz, or .db without compression")
    .option("--no-compress", "write an SQLite database, whatever the name")
    .option(...jsonReport)
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp backup kb-backup.db.zst", "Back up the data directory, also while a server uses it"],
          ["kb-mcp backup kb-backup.db", "Write an SQLite database"],
        ],
        exitStatus: { 65: "the stored data is damaged" },
      }),
    )
    .action(async (file: string, options: BackupFlags) => {
      const { runBackup } = await import("../maintenance.ts");
      await runBackup(file, options, await context.config(), context);
    });
}

import { Command } from "commander";
import { type SettingName, SETTINGS } from "../../config/mod.ts";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";
import { addSettings } from "../setting_options.ts";
import { withJson } from "./client_options.ts";

/** `kb-mcp doctor`. */
export function doctorCommand(context: CommandContext): Command {
  return withJson(addSettings(new Command("doctor"), Object.keys(SETTINGS) as SettingName[]))
    .summary("check settings, port, disk, permissions, clock, engine and model, and print the fixes")
    .description(
      "Check the settings, the data directory, disk space, the clock, the port, the engine and the embedding model, " +
        "and print what to do about each problem.",
    )
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp doctor", "Check this machine with the settings of kb-mcp serve"],
          ["kb-mcp doctor --json | jq '.checks[] | select(.state != \"ok\")'", "List the problems"],
        ],
        exitStatus: { 1: "a check failed" },
      }),
    )
    .action(async ({ json = !context.isTerminal }: { json?: boolean }) => {
      const { runDoctor } = await import("../doctor/mod.ts");
      context.exit(await runDoctor(context, { json }));
    });
}

import { Command } from "commander";
import { type SettingName, SETTINGS } from "../../config/mod.ts";
import type { CommandContext } from "../context.ts";
import { helpSections, settingValuesSection } from "../help_text.ts";
import { addSettings } from "../setting_options.ts";
import { withJson } from "./client_options.ts";

/** `kb-mcp config`. */
export function configCommand(context: CommandContext): Command {
  return withJson(addSettings(new Command("config"), Object.keys(SETTINGS) as SettingName[]))
    .summary("show every setting with its value and origin")
    .description(
      "Show every setting with its value and where it comes from: a flag, the environment, the configuration file " +
        "or the default. Secrets are masked.",
    )
    .addHelpText(
      "after",
      settingValuesSection() + helpSections({
        examples: [
          ["kb-mcp config", "Show the settings that kb-mcp serve would use"],
          ["kb-mcp config --config staging.toml --no-json", "Check a configuration file"],
        ],
      }),
    )
    .action(async ({ json = !context.isTerminal }: { json?: boolean }) => {
      const { showConfig } = await import("../show_config.ts");
      context.print(await showConfig(context, { json }));
    });
}

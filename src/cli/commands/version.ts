import { Command } from "commander";
import { NAME, VERSION } from "../../version.ts";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";

/** `kb-mcp version`. */
export function versionCommand(context: CommandContext): Command {
  return new Command("version")
    .summary("print the version")
    .description("Print the version.")
    .addHelpText("after", helpSections({ examples: [["kb-mcp version", "Print the version"]] }))
    .action(() => context.print(`${NAME} ${VERSION}\n`));
}

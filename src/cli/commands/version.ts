import { Command } from "commander";
import { NAME, VERSION } from "../../version.ts";
import type { CommandContext } from "../context.ts";
import { formatJson } from "../format.ts";
import { helpSections } from "../help_text.ts";
import { jsonReport } from "./client_options.ts";

/** `kb-mcp version`. */
export function versionCommand(context: CommandContext): Command {
  return new Command("version")
    .summary("print the version")
    .description("Print the version.")
    .option(...jsonReport)
    .addHelpText("after", helpSections({ examples: [["kb-mcp version", "Print the version"]] }))
    .action(({ json = false }: { json?: boolean }) => {
      context.print(json ? formatJson({ name: NAME, version: VERSION }) : `${NAME} ${VERSION}\n`);
    });
}

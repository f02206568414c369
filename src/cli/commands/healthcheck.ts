import { Argument, Command } from "commander";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";

/** `kb-mcp healthcheck`. */
export function healthcheckCommand(context: CommandContext): Command {
  return new Command("healthcheck")
    .summary("check the health of the running server (or engine), for a container's HEALTHCHECK")
    .description("Check the health of the server or engine that runs with the same settings.")
    .addArgument(
      new Argument("[role]", "which of the two to check").choices(["serve", "engine"]).default("serve"),
    )
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp healthcheck", "Check the MCP server"],
          ["kb-mcp healthcheck engine", "Check the engine"],
        ],
        exitStatus: { 1: "the server is unhealthy or cannot be reached" },
      }),
    )
    .action(async (role: "serve" | "engine") => {
      const { checkHealth } = await import("../healthcheck.ts");
      const problem = await checkHealth(await context.config(), role);
      if (problem === undefined) return;
      context.printError(problem);
      context.exit(1);
    });
}

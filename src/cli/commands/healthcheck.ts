import { Argument, Command } from "commander";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";
import { addSettings } from "../setting_options.ts";

/** `kb-mcp healthcheck`. */
export function healthcheckCommand(context: CommandContext): Command {
  return addSettings(new Command("healthcheck"), [
    "KB_MCP_HOST",
    "KB_MCP_PORT",
    "KB_ENGINE_HOST",
    "KB_ENGINE_PORT",
  ])
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
      const { healthcheck } = await import("../healthcheck.ts");
      context.exit(await healthcheck(role, context));
    });
}

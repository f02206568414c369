import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";

/** `kb-mcp stdio`. */
export function stdioCommand(context: CommandContext): Command {
  return new Command("stdio")
    .summary("serve MCP over standard input and output, for clients that only start commands")
    .description(
      "Serve MCP over standard input and output, for clients that only start commands: forwards to the server at " +
        "--url or KB_MCP_URL; without one, serves the data directory itself. Several programs may use one data " +
        "directory at the same time.",
    )
    .option("--url <url>", "MCP endpoint of a running server (default: KB_MCP_URL)")
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp stdio", "Serve the documents of the data directory"],
          ["KB_MCP_API_KEY_FILE=key kb-mcp stdio --url https://kb.example.com/mcp", "Forward to a server"],
        ],
        exitStatus: {
          0: "the client closed standard input",
          65: "the stored data is damaged or missing",
          69: "another process uses the data directory and cannot be reached",
        },
      }),
    )
    .action(async (options: { url?: string }) => {
      const { runStdio } = await import("../stdio/mod.ts");
      context.exit(
        await runStdio(await context.config(), {
          url: options.url,
          log: await context.log(),
          defaultDataDir: () => context.defaultDataDir(),
        }),
      );
    });
}

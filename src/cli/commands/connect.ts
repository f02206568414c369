import { Argument, Command } from "commander";
import type { ConnectOptions } from "../connect_client/mod.ts";
import { terminalConfirm } from "../confirm.ts";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";

/** Clients by their names on the command line. A test compares them with the table of clients. */
const CLIENTS = [
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "codex",
  "gemini",
  "zed",
  "windsurf",
] as const;

/** `kb-mcp connect`. */
export function connectCommand(context: CommandContext): Command {
  return new Command("connect")
    .summary("print how a client connects, or write its configuration")
    .description(
      "Print how a client connects; with --write, edit its configuration after showing the change. Comments and other " +
        "settings in the file stay as they are, and a copy of it is kept.",
    )
    .addArgument(new Argument("<client>", "the client").choices(CLIENTS))
    .option("--write", "edit the configuration after showing the change")
    .option("--remove", "remove kb-mcp from the configuration after showing the change")
    .option("-y, --yes", "do not ask before writing")
    .option("--stdio", "let the client start `kb-mcp stdio` instead of connecting to a running server")
    .option("--url <url>", "MCP endpoint (default: KB_MCP_URL, or the address of the running server)")
    .option("--name <name>", "name of the server in the configuration", "kb")
    .option("-f, --file <path>", "configuration to edit (default: that of the client for all projects)")
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp connect cursor", "Print the entry for Cursor"],
          ["kb-mcp connect claude-code --write", "Add kb-mcp to Claude Code"],
          ["kb-mcp connect codex --stdio --write --yes", "Let Codex start kb-mcp itself"],
          ["kb-mcp connect vscode --file .vscode/mcp.json --write", "Add it to one project"],
        ],
        exitStatus: { 1: "the configuration cannot be edited" },
      }),
    )
    .action(async (client: string, options: Omit<ConnectOptions, "client">) => {
      const { runConnect } = await import("../connect_client/mod.ts");
      await runConnect({ ...options, client }, await context.config(), {
        print: (text) => context.print(text),
        printError: (text) => context.printError(text),
        env: (name) => context.env(name),
        defaultDataDir: () => context.defaultDataDir(),
        confirm: terminalConfirm(context),
      });
    });
}

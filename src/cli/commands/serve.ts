import { Command } from "commander";
import { secretFile } from "../../config/mod.ts";
import { VERSION } from "../../version.ts";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";
import { addSettings } from "../setting_options.ts";

/** `kb-mcp serve`, the default command. */
export function serveCommand(context: CommandContext): Command {
  return addSettings(new Command("serve"), "serve")
    .summary("serve MCP at http://KB_MCP_HOST:KB_MCP_PORT/mcp (default command)")
    .description("Serve MCP over HTTP, with the embedded engine or with the one at KB_ENGINE_URL.")
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp", "Serve MCP at http://127.0.0.1:8808/mcp"],
          ["KB_MCP_API_KEY_FILE=key kb-mcp serve", "Require the bearer token in the file `key`"],
        ],
        exitStatus: { 1: "the shutdown failed", 65: "the stored data is damaged or missing" },
      }),
    )
    .action(async () => context.exit(await serve(context)));
}

async function serve(context: CommandContext): Promise<number> {
  const config = await context.config();
  const log = await context.log();
  const { startServer } = await import("../serve.ts");
  const { announce, runUntilSignal } = await import("../lifecycle.ts");
  const { banner, ownCommand } = await import("../banner.ts");
  const server = await startServer(config, { log, defaultDataDir: () => context.defaultDataDir() });
  // Before the banner: a supervisor may send a signal as soon as it reads that the server is ready.
  const stopped = runUntilSignal(server, log);
  const text = banner({
    url: `${config.KB_MCP_PUBLIC_URL ?? server.url}/mcp`,
    hasKey: config.KB_MCP_API_KEY !== undefined || config.KB_MCP_KEYS !== undefined,
    keyFile: secretFile("KB_MCP_API_KEY", await context.configSource()),
    hasPage: config.KB_MCP_PAGE === "on",
    engine: server.engine,
    command: ownCommand(),
  });
  announce(context, text, log);
  log.info("serving MCP", { url: server.url, engine: server.engine, version: VERSION });
  await server.warmUp();
  return await stopped;
}

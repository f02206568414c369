import { Command } from "commander";
import { VERSION } from "../../version.ts";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";
import { addSettings } from "../setting_options.ts";

/** `kb-mcp engine`. */
export function engineCommand(context: CommandContext): Command {
  return addSettings(new Command("engine"), "engine")
    .summary("serve only the engine's HTTP API, for KB_ENGINE_URL of another kb-mcp")
    .description("Serve only the engine's HTTP API, for KB_ENGINE_URL of another kb-mcp.")
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp engine", "Serve the engine at http://127.0.0.1:8000"],
          ["KB_ENGINE_URL=http://127.0.0.1:8000 kb-mcp serve", "Serve MCP in front of it"],
        ],
        exitStatus: { 1: "the shutdown failed", 65: "the stored data is damaged or missing" },
      }),
    )
    .action(async () => context.exit(await serveEngine(context)));
}

async function serveEngine(context: CommandContext): Promise<number> {
  const config = await context.config();
  const log = await context.log();
  const { startEngine } = await import("../engine.ts");
  const { announce, runUntilSignal } = await import("../lifecycle.ts");
  const running = await startEngine(config, { log, defaultDataDir: () => context.defaultDataDir() });
  const stopped = runUntilSignal(running, log);
  const text = `kb-mcp engine is ready at ${running.url}\nData: ${running.dataDir}\n\nStop with Ctrl-C.\n`;
  announce(context, text, log);
  log.info("serving the engine", { url: running.url, bind: config.KB_ENGINE_HOST, version: VERSION });
  await running.warmUp();
  return await stopped;
}

import type { Connection, ReadResult, RealClient } from "./client.ts";
import { resourceText } from "./client.ts";
import { runProgram } from "./program.ts";

const SPECIFIER = "npm:mcporter@0.12.3";

/** A command line for agents, based on the official client 1.x: no 2026-07-28 and no prompts. */
export const mcporter: RealClient = {
  name: SPECIFIER.slice("npm:".length),
  protocolVersions: ["2025-11-25"],
  async connect({ url, token, directory }): Promise<Connection> {
    const config = `${directory}/mcporter.json`;
    const headers = { Authorization: `Bearer ${token}` };
    await Deno.writeTextFile(config, JSON.stringify({ mcpServers: { kb: { url, headers } }, imports: [] }));
    const run = (...args: string[]) => runProgram(SPECIFIER, ["--config", config, ...args], directory);
    return {
      listTools: async () =>
        (await run("list", "kb", "--json") as { tools: { name: string }[] }).tools.map(({ name }) => name),
      // Prints only the structured content, and exits with status 1 if the tool failed.
      callTool: async (name, args) => {
        const output = await run("call", `kb.${name}`, "--args", JSON.stringify(args), "--output", "json");
        return output as Record<string, unknown>;
      },
      readResource: async (uri) => resourceText(await run("resource", "kb", uri, "--json") as ReadResult),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  },
};

import type { ProtocolVersion } from "../conformance/suites.ts";
import type { Connection, PromptResult, ReadResult, RealClient, ToolResult } from "./client.ts";
import { promptText, resourceText, structured } from "./client.ts";
import { runProgram } from "./program.ts";

const SPECIFIER = "npm:@modelcontextprotocol/inspector@2.12.0";

/** Command line of the official inspector. Each operation is a process with its own connection. */
export const inspector: RealClient = {
  name: `${SPECIFIER.slice("npm:".length)} --cli`,
  protocolVersions: ["2025-11-25", "2026-07-28"],
  connect({ url, token, directory }, protocolVersion): Promise<Connection> {
    const server = [url, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
    return Promise.resolve(inspectorOver(server, directory, protocolVersion));
  },
};

/** Connects to the server that the options of the command line name. */
export function inspectorOver(
  server: readonly string[],
  directory: string,
  protocolVersion: ProtocolVersion,
): Connection {
  const run = async <Result>(method: string, ...args: string[]): Promise<Result> => {
    const mode = [
      "--protocol-era",
      protocolVersion === "2026-07-28" ? "auto" : "legacy",
      "--format",
      "json",
      "--quiet",
    ];
    const options = ["--cli", ...server, ...mode, "--method", method, ...args];
    return (await runProgram(`${SPECIFIER}/inspector`, options, directory) as { result: Result }).result;
  };
  return {
    listTools: async () =>
      (await run<{ tools: { name: string }[] }>("tools/list")).tools.map(({ name }) => name),
    callTool: async (name, args) => {
      const options = ["--tool-name", name, "--tool-args-json", JSON.stringify(args)];
      return structured(await run<ToolResult>("tools/call", ...options));
    },
    readResource: async (uri) => resourceText(await run<ReadResult>("resources/read", "--uri", uri)),
    getPrompt: async (name, args) => {
      const options = Object.entries(args).map(([key, value]) => `${key}=${value}`);
      return promptText(
        await run<PromptResult>("prompts/get", "--prompt-name", name, "--prompt-args", ...options),
      );
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

import type { Connection, PromptResult, ReadResult, RealClient, ToolResult } from "./client.ts";
import { promptText, resourceText, structured } from "./client.ts";
import { runProgram } from "./program.ts";

const SPECIFIER = "npm:@modelcontextprotocol/inspector@2.12.0";

/** The official inspector's command line: each call is a process that connects anew. */
export const inspector: RealClient = {
  name: `${SPECIFIER.slice("npm:".length)} --cli`,
  eras: ["2025-11-25", "2026-07-28"],
  connect({ url, token, directory }, era): Promise<Connection> {
    const ask = async <Result>(method: string, ...args: string[]): Promise<Result> => {
      const words = ["--cli", url, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
      const mode = [
        "--protocol-era",
        era === "2026-07-28" ? "auto" : "legacy",
        "--format",
        "json",
        "--quiet",
      ];
      const all = [...words, ...mode, "--method", method, ...args];
      return (await runProgram(`${SPECIFIER}/inspector`, all, directory) as { result: Result }).result;
    };
    return Promise.resolve({
      listTools: async () =>
        (await ask<{ tools: { name: string }[] }>("tools/list")).tools.map(({ name }) => name),
      callTool: async (name, args) => {
        const given = ["--tool-name", name, "--tool-args-json", JSON.stringify(args)];
        return structured(await ask<ToolResult>("tools/call", ...given));
      },
      readResource: async (uri) => resourceText(await ask<ReadResult>("resources/read", "--uri", uri)),
      getPrompt: async (name, args) => {
        const given = Object.entries(args).map(([key, value]) => `${key}=${value}`);
        return promptText(
          await ask<PromptResult>("prompts/get", "--prompt-name", name, "--prompt-args", ...given),
        );
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  },
};

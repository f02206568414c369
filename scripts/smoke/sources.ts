import { assert, assertEquals, assertMatch } from "@std/assert";
import { connectAgent } from "../../tests/support/mcp_client.ts";
import type { Checks } from "../checks.ts";
import { exitCode, type ServerProcess } from "../server_process.ts";

/** How the smoke test runs the program. */
export interface SourceChecks {
  readonly command: readonly string[];
  /** Empty folder for the files of these checks. */
  readonly directory: string;
  readonly env: Record<string, string>;
  readonly start: (role: "serve", settings: Record<string, string>) => Promise<ServerProcess>;
}

/** Checks that a folder is kept in sync and written, and nothing outside of it read; and that clients are connected. */
export async function checkSources(
  checks: Checks,
  { command, directory, env, start }: SourceChecks,
  token: string,
): Promise<void> {
  const folder = `${directory}/notes`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/otter.md`, "---\nspecies: lutra\n---\nThe otter sleeps on its back.\n");
  await Deno.writeTextFile(`${directory}/private.md`, "The badger sleeps in its sett.\n");
  await Deno.symlink(`${directory}/private.md`, `${folder}/link.md`);
  await using server = await checks.check("it starts with a folder that agents may write", () => {
    return start("serve", {
      KB_MCP_PORT: "0",
      KB_MCP_API_KEY: token,
      KB_DATA_DIR: `${directory}/data`,
      KB_SOURCES: `${folder}:notes:rw`,
    });
  });
  await using agent = await connectAgent(server.url, token);
  await checks.check(
    "a file of the folder is found by its front matter, and none that a link leads to outside of it",
    async () => {
      const resultsOf = async (query: string, metadata?: Record<string, string>) => {
        const { structured } = await agent.call("kb_search", { query, ...(metadata && { metadata }) });
        return structured.results as unknown[];
      };
      const deadline = Date.now() + 30_000;
      while ((await resultsOf("otter", { species: "lutra" })).length === 0) {
        assert(Date.now() < deadline, "the file must be found within 30 s");
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assertEquals(await resultsOf("badger"), []);
    },
  );
  await checks.check("kb_write creates a file in the folder", async () => {
    const { isError, text } = await agent.call("kb_write", {
      source: "notes",
      title: "Heron",
      text: "The heron sleeps on one leg.",
    });
    assert(!isError, text);
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    assert(names.some((name) => /heron/i.test(name)), `the folder has ${names.join(", ")}`);
  });
  await checks.check("connect --write adds the server to the configuration of a client", async () => {
    const settings = { ...env, KB_MCP_API_KEY: token };
    assertEquals(
      await exitCode({
        command: [...command, "connect", "cursor", "--write", "--yes"],
        directory,
        env: settings,
      }),
      0,
    );
    assertMatch(await Deno.readTextFile(`${directory}/.cursor/mcp.json`), /"mcpServers"/);
  });
  await checks.check("SIGTERM stops the server of the folder with status 0", async () => {
    assertEquals((await server.terminate()).code, 0);
  });
}

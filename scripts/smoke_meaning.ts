import { assert, assertEquals, assertMatch } from "@std/assert";
import { connectAgent } from "../tests/support/mcp_client.ts";
import { TestEmbedder } from "../tests/support/test_embedder.ts";
import type { Checks } from "./checks.ts";
import { exitCode, type ServerProcess } from "./server_process.ts";

/** How long vectors may take to come, in milliseconds. */
const VECTORS_LIMIT_MS = 30_000;

/** How to run the program. */
export interface Program {
  readonly words: readonly string[];
  readonly directory: string;
  readonly env: Record<string, string>;
  start(role: "serve" | "engine", settings: Record<string, string>): Promise<ServerProcess>;
}

/** Search by meaning, with an embedding model over HTTP: hybrid, then another model, refused until everything is embedded anew. */
export async function playMeaning(checks: Checks, program: Program, token: string): Promise<void> {
  await using model = TestEmbedder.start();
  await using other = TestEmbedder.start({ model: "other-model", dimensions: 48 });
  const settings = (url: string, name: string) => ({
    KB_DATA_DIR: `${program.directory}/meaning`,
    KB_EMBEDDINGS_URL: url,
    KB_EMBEDDINGS_MODEL: name,
  });
  const serve = { KB_MCP_PORT: "0", KB_MCP_API_KEY: token };
  const before = settings(model.url, "test-model");
  const after = settings(other.url, "other-model");
  const run = (words: readonly string[], env: Record<string, string>) =>
    exitCode({
      command: [...program.words, ...words],
      directory: program.directory,
      env: { ...program.env, ...env },
    });

  await using server = await checks.check("it starts with an embedding model", () => {
    return program.start("serve", { ...serve, ...before });
  });
  await checks.check("kb_search finds what says the same in other words", async () => {
    await using agent = await connectAgent(server.url, token);
    await agent.call("kb_addnote", { text: "The automobile is in the garage." });
    await agent.call("kb_addnote", { text: "The kettle is on the stove." });
    await hybrid(agent, "physician vehicle", /automobile/);
  });
  await checks.check("kb-mcp reindex embeds for another model beside the running server", async () => {
    assertEquals(await run(["reindex"], after), 0);
    await using agent = await connectAgent(server.url, token);
    await hybrid(agent, "vehicle", /automobile/);
  });
  await checks.check("the model before is refused from then on, the new one searches", async () => {
    assertEquals((await server.terminate()).code, 0);
    assertEquals(await run(["serve"], { ...serve, ...before }), 64);
    await using again = await program.start("serve", { ...serve, ...after });
    await using agent = await connectAgent(again.url, token);
    await hybrid(agent, "vehicle", /automobile/);
    assertEquals((await again.terminate()).code, 0);
  });
}

type Agent = Awaited<ReturnType<typeof connectAgent>>;

/** Asks until all chunks have their vectors; then the best result has to match. */
async function hybrid(agent: Agent, query: string, expected: RegExp): Promise<void> {
  for (const deadline = performance.now() + VECTORS_LIMIT_MS;;) {
    const { text } = await agent.call("kb_search", { query, top: 1 });
    const answer = JSON.parse(text);
    if (answer.vectors === undefined) {
      assertEquals([answer.mode, answer.warning], ["hybrid", undefined]);
      assertMatch(answer.results[0].text, expected);
      return;
    }
    assert(performance.now() < deadline, text);
  }
}

import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Agent, connectAgent } from "../../tests/support/mcp_client.ts";
import { TestEmbedder } from "../../tests/support/test_embedder.ts";
import type { Checks } from "../checks.ts";
import { exitCode, type ServerProcess } from "../server_process.ts";

/** Maximum time to wait for the vectors of new chunks. */
const VECTORS_TIMEOUT_MS = 30_000;

/** How to run the program under test. */
export interface Program {
  /** Command line, without a kb-mcp command. */
  readonly command: readonly string[];
  readonly directory: string;
  readonly env: Record<string, string>;
  start(role: "serve" | "engine", settings: Record<string, string>): Promise<ServerProcess>;
}

/** Checks hybrid search with the model that is part of the program. */
export async function checkBuiltinModel(checks: Checks, program: Program, token: string): Promise<void> {
  await checks.check("a note is found in other words with the built-in model", async () => {
    await using server = await program.start("serve", {
      KB_MCP_PORT: "0",
      KB_MCP_API_KEY: token,
      KB_DATA_DIR: `${program.directory}/builtin`,
      KB_EMBEDDINGS_MODEL: "builtin",
      KB_MODEL_DOWNLOAD: "off",
    });
    await using agent = await connectAgent(server.url, token);
    await agent.call("kb_addnote", { text: "The kettle is on the stove." });
    await agent.call("kb_addnote", { text: "The user wants answers in German." });
    await assertHybridHit(agent, "What language should I reply in?", /German/);
    assertEquals((await server.terminate()).code, 0);
  });
}

/** Checks hybrid search with an embedding model over HTTP, then `kb-mcp reindex` with another model. */
export async function checkEmbeddings(checks: Checks, program: Program, token: string): Promise<void> {
  await using oldModel = TestEmbedder.start();
  await using newModel = TestEmbedder.start({ model: "other-model", dimensions: 48 });
  const settings = (url: string, model: string) => ({
    KB_DATA_DIR: `${program.directory}/embeddings`,
    KB_EMBEDDINGS_URL: url,
    KB_EMBEDDINGS_MODEL: model,
  });
  const serve = { KB_MCP_PORT: "0", KB_MCP_API_KEY: token };
  const oldSettings = settings(oldModel.url, "test-model");
  const newSettings = settings(newModel.url, "other-model");
  const run = (args: readonly string[], env: Record<string, string>) =>
    exitCode({
      command: [...program.command, ...args],
      directory: program.directory,
      env: { ...program.env, ...env },
    });

  await using server = await checks.check("it starts with an embedding model", () => {
    return program.start("serve", { ...serve, ...oldSettings });
  });
  await checks.check("kb_search finds a paraphrase", async () => {
    await using agent = await connectAgent(server.url, token);
    await agent.call("kb_addnote", { text: "The automobile is in the garage." });
    await agent.call("kb_addnote", { text: "The kettle is on the stove." });
    await assertHybridHit(agent, "physician vehicle", /automobile/);
  });
  await checks.check("kb-mcp reindex embeds for another model while the server runs", async () => {
    assertEquals(await run(["reindex"], newSettings), 0);
    await using agent = await connectAgent(server.url, token);
    await assertHybridHit(agent, "vehicle", /automobile/);
  });
  await checks.check("the old model is then rejected and the new one searches", async () => {
    assertEquals((await server.terminate()).code, 0);
    assertEquals(await run(["serve"], { ...serve, ...oldSettings }), 64);
    await using restarted = await program.start("serve", { ...serve, ...newSettings });
    await using agent = await connectAgent(restarted.url, token);
    await assertHybridHit(agent, "vehicle", /automobile/);
    assertEquals((await restarted.terminate()).code, 0);
  });
}

/** Searches until all chunks have vectors, then asserts a hybrid search whose first result matches. */
async function assertHybridHit(agent: Agent, query: string, expected: RegExp): Promise<void> {
  for (const deadline = performance.now() + VECTORS_TIMEOUT_MS;;) {
    const { text } = await agent.call("kb_search", { query, top: 1 });
    const result = JSON.parse(text);
    if (result.vectors === undefined) {
      assertEquals([result.mode, result.warning], ["hybrid", undefined]);
      assertMatch(result.results[0].text, expected);
      return;
    }
    assert(performance.now() < deadline, text);
  }
}

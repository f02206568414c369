/** Memories asked for in other words, from a program with an empty directory and no settings. */
import { assert } from "@std/assert";
import { fileURLToPath } from "node:url";
import { RUN_PERMISSIONS } from "../../scripts/permissions.ts";
import { ServerProcess } from "../../scripts/server_process.ts";
import { type Agent, connectAgent } from "../support/mcp_client.ts";
import { denoDir } from "../support/product.ts";
import { testWithModel } from "../support/real_model.ts";
import { type Memory, THIRTY_SIX_MEMORIES, TWELVE_MEMORIES } from "./memories.ts";

const CASES: [memories: readonly Memory[], minFirst: number, minInTop3: number][] = [
  [TWELVE_MEMORIES, 0, 11],
  [THIRTY_SIX_MEMORIES, 30, 34],
];

for (const [memories, minFirst, minInTop3] of CASES) {
  testWithModel(`Other words / ${memories.length} memories are found by a new installation`, async () => {
    const directory = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
    try {
      await using server = await startDefault(directory);
      await using agent = await connectAgent(server.url);
      const ranks = await askAll(agent, memories);
      const report = memories.flatMap(([note, question], index) =>
        ranks[index] === 1 ? [] : [`rank ${ranks[index]}: ${question} (${note})`]
      ).join("\n");
      assert(ranks.filter((rank) => rank <= 3).length >= minInTop3, report);
      assert(ranks.filter((rank) => rank === 1).length >= minFirst, report);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });
}

/** Starts the program with its default settings, apart from a free port and its home. */
async function startDefault(directory: string): Promise<ServerProcess> {
  const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
  return await ServerProcess.start({
    command: [Deno.execPath(), "run", "--config", path("deno.json"), ...RUN_PERMISSIONS, path("main.ts")],
    directory,
    env: { KB_MCP_PORT: "0", DENO_DIR: await denoDir() },
  });
}

/** Adds all notes, then asks all questions. Returns the rank of each right note; Infinity: it was not found. */
async function askAll(agent: Agent, memories: readonly Memory[]): Promise<number[]> {
  for (const [text] of memories) await agent.call("kb_addnote", { text });
  await vectorsOf(agent, memories.length);
  const ranks: number[] = [];
  for (const [note, query] of memories) {
    const { structured, text } = await agent.call("kb_search", { query });
    const results = structured["results"] as { text: string }[] | undefined;
    assert(results, text);
    const index = results.findIndex((result) => result.text === note);
    ranks.push(index === -1 ? Infinity : index + 1);
  }
  return ranks;
}

/** Waits until this number of chunks has vectors. */
async function vectorsOf(agent: Agent, count: number): Promise<void> {
  for (;;) {
    const { structured, text } = await agent.call("kb_status");
    const { vectors } = structured["engine"] as {
      vectors: { embedded: number; error: string | null } | null;
    };
    assert(vectors && !vectors.error, text);
    if (vectors.embedded >= count) return;
  }
}

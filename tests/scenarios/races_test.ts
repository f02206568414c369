import { assertEquals } from "@std/assert";
import type { EngineStatus } from "../../src/contract/mod.ts";
import { type Agent, connectAgent } from "../support/mcp_client.ts";
import { type Random, seededRandom } from "../support/random.ts";
import { serveEngine } from "../support/serve_engine.ts";
import { startTestServer } from "../support/server.ts";

/** Number of times that each agent counts up. */
const INCREMENTS = 12;

/** Changes that an agent has made. */
interface Counts {
  increments: number;
  moves: number;
  deletions: number;
  conflicts: number;
}

/**
 * Counts up in a note: reads the number, and writes the next one for the version that it has read. In between, moves
 * the note, or deletes and restores it.
 */
async function countUp(agent: Agent, document_id: unknown, random: Random): Promise<Counts> {
  const counts: Counts = { increments: 0, moves: 0, deletions: 0, conflicts: 0 };
  while (counts.increments < INCREMENTS) {
    const { isError, structured: note } = await agent.call("kb_get", { document_id });
    // The other agent has deleted it, and will restore it.
    if (isError) continue;
    const condition = { document_id, if_version: note["version"] };
    const kind = random.pick(["increments", "increments", "moves", "deletions"] as const);
    const { structured: result, text } = kind === "increments"
      ? await agent.call("kb_update_note", { ...condition, text: `Count ${countIn(note) + 1}` })
      : kind === "moves"
      ? await agent.call("kb_set_collection", {
        ...condition,
        collection: note["collection"] === "memory" ? "documents" : "memory",
      })
      : await agent.call("kb_delete", condition);
    if (result["outcome"] === "conflict") {
      counts.conflicts++;
      continue;
    }
    assertEquals(result["document_id"], document_id, text);
    counts[kind]++;
    if (kind === "deletions") {
      const restored = await agent.call("kb_restore", { document_id });
      assertEquals(restored.structured["outcome"], "restored", restored.text);
    }
  }
  return counts;
}

/** Two agents with a note: no update is lost, and the note ends in one collection, with a version for each change. */
async function race(url: string, seed: number): Promise<void> {
  await using first = await connectAgent(url);
  await using second = await connectAgent(url);
  const { structured: { document_id } } = await first.call("kb_addnote", {
    text: "Count 0",
    collection: "memory",
  });
  const counts = await Promise.all(
    [first, second].map((agent, n) => countUp(agent, document_id, seededRandom(seed + n))),
  );
  const sum = (name: keyof Counts) => counts.reduce((total, each) => total + each[name], 0);
  const { structured: note } = await first.call("kb_get", { document_id });
  const collection = sum("moves") % 2 === 0 ? "memory" : "documents";
  assertEquals(countIn(note), 2 * INCREMENTS);
  assertEquals([note["collection"], note["version"]], [
    collection,
    1 + 2 * INCREMENTS + sum("moves") + sum("deletions"),
  ]);
  const { structured: { engine } } = await first.call("kb_status");
  const { documents, trash } = engine as EngineStatus;
  assertEquals([documents?.total, documents?.by_collection, trash?.documents], [1, { [collection]: 1 }, 0]);
}

function countIn(note: Record<string, unknown>): number {
  return Number(/Count (\d+)/.exec(JSON.stringify(note["chunks"] ?? note["text"]))?.[1]);
}

Deno.test("two agents that edit, move, delete and restore a note lose no update [engine embedded]", async () => {
  await using server = await startTestServer();
  await race(server.url, 1);
});

Deno.test("two agents that edit, move, delete and restore a note lose no update [engine over HTTP]", async () => {
  await using engine = await serveEngine();
  await using server = await startTestServer({ env: { KB_ENGINE_URL: engine.url } });
  await race(server.url, 2);
});

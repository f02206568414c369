import { assertEquals, assertMatch } from "@std/assert";
import { EngineClient } from "../../src/client/mod.ts";
import { tools } from "../../src/tools/mod.ts";
import { connectAgent } from "../support/mcp_client.ts";
import { lastCommitWith, sourcesOf } from "../support/older_sources.ts";
import { startProgram } from "../support/program.ts";
import { serveEngine } from "../support/serve_engine.ts";
import { startTestServer } from "../support/server.ts";

const OLD = await lastCommitWith("3.0.0");
/** Without the history there is no older version to start. */
const ignore = OLD === undefined;

/** Unset, because contract 3.0 had no value for it that means "none". */
const NO_MODEL = { KB_EMBEDDINGS_MODEL: "" };

/** Arguments of the tools that an engine of contract 3.0 does not have. */
const ARGUMENTS: Record<string, Record<string, unknown>> = {
  kb_list: {},
  kb_edit: { document_id: 1, append: "Lost." },
  kb_history: { document_id: 1 },
  kb_restore: { document_id: 1 },
};

Deno.test({
  name: "a new server with an engine of contract 3.0 does what that engine can, and says what it cannot",
  ignore,
  async fn() {
    await using sources = await sourcesOf(OLD!);
    const env = { ...NO_MODEL, KB_DATA_DIR: `${sources.root}/data` };
    await using engine = await startProgram(["engine"], env, sources);
    await using server = await startTestServer({ env: { KB_ENGINE_URL: engine.url } });
    await using agent = await connectAgent(server.url);

    const { structured: note } = await agent.call("kb_addnote", {
      text: "The kettle is on the shelf.",
      collection: "memory",
    });
    const { document_id } = note;
    assertEquals([note["status"], note["outcome"], note["collection"]], ["done", "created", "memory"]);
    for (const change of [{ text: "Lost." }, { collection: "documents" }, {}]) {
      const tool = "text" in change
        ? "kb_update_note"
        : "collection" in change
        ? "kb_set_collection"
        : "kb_delete";
      const { isError, text } = await agent.call(tool, { document_id, ...change, if_version: 1 });
      assertEquals(isError, true);
      assertMatch(
        text,
        /^if_version needs an engine with contract version 3\.3\.0 or later, but .* has 3\.0\.0\. Nothing/,
      );
    }
    const lacking = tools.filter(({ engineVersion }) => engineVersion !== undefined).map(({ name }) => name);
    for (const tool of lacking) {
      const { isError, text } = await agent.call(tool, ARGUMENTS[tool]);
      assertEquals(isError, true);
      assertMatch(
        text,
        new RegExp(`^${tool} needs an engine with contract version 3\\.3\\.0 or later, but .* has 3\\.0\\.0`),
      );
    }
    const { structured: status } = await agent.call("kb_status");
    assertEquals(status["unavailable_tools"], lacking);

    const { structured: unchanged } = await agent.call("kb_get", { document_id });
    assertEquals([unchanged["collection"], JSON.stringify(unchanged).includes("on the shelf")], [
      "memory",
      true,
    ]);
    const moved = await agent.call("kb_set_collection", { document_id, collection: "documents" });
    assertEquals(moved.structured["collection"], "documents");
    await agent.call("kb_update_note", { document_id, text: "The kettle is in the sink." });
    const found = await agent.call("kb_search", { query: "kettle sink" });
    assertEquals((found.structured["results"] as unknown[]).length, 1);
    const deleted = await agent.call("kb_delete", { document_id });
    assertEquals([deleted.structured["status"], "restorable_until" in deleted.structured], [
      "deleted",
      false,
    ]);
  },
});

Deno.test({
  name: "a server of contract 3.0 works with a new engine, and its agent learns of a conflict",
  ignore,
  async fn() {
    await using sources = await sourcesOf(OLD!);
    await using engine = await serveEngine();
    await using server = await startProgram(["serve"], { ...NO_MODEL, KB_ENGINE_URL: engine.url }, sources);
    await using agent = await connectAgent(server.url);
    const client = new EngineClient({ baseUrl: engine.url });
    const manual = new Blob(["# Kettle\n\nThe manual."]);
    const { job_id } = await client.addFile({
      filename: "kettle.md",
      size: manual.size,
      open: () => Promise.resolve(manual.stream()),
      source_path: "docs/kettle.md",
      tags: ["collection:documents"],
    });
    const { document_id: manualId } = await client.waitForJob(job_id, { timeoutMs: 30_000 });

    const lost = await agent.call("kb_addnote", { text: "Short.", source_path: "docs/kettle.md" });
    assertEquals(lost.isError, true);
    assertMatch(lost.text, /docs\/kettle\.md/);
    assertEquals((await client.document(manualId!)).version, 1);

    const { structured: note } = await agent.call("kb_addnote", {
      text: "The kettle is on the shelf.",
      source_path: "k",
      collection: "memory",
    });
    const again = await agent.call("kb_addnote", {
      text: "The kettle is in the sink.",
      source_path: "k",
      collection: "memory",
    });
    assertEquals([note["outcome"], again.structured["outcome"]], ["created", "replaced"]);
    const { document_id } = note;
    await agent.call("kb_update_note", { document_id, text: "The kettle is gone." });
    const found = await agent.call("kb_search", { query: "gone" });
    assertEquals((found.structured["results"] as { document_id: unknown }[])[0]?.document_id, document_id);
    const { structured: moved } = await agent.call("kb_set_collection", {
      document_id,
      collection: "documents",
    });
    assertEquals(moved, { document_id, collection: "documents", tags: [], previous_collection: "memory" });
    const { structured: deleted } = await agent.call("kb_delete", { document_id });
    assertEquals([deleted["status"], deleted["document_id"]], ["deleted", document_id]);
    assertEquals((await client.listTrash()).total, 1);
  },
});

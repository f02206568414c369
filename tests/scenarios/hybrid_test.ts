import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Agent, connectAgent } from "../support/mcp_client.ts";
import { serveEngine } from "../support/serve_engine.ts";
import { startTestServer } from "../support/server.ts";
import { errorResponse, TestEmbedder } from "../support/test_embedder.ts";

/** Serves an engine with an embedding model over HTTP. */
function engineWith(model: TestEmbedder) {
  return serveEngine({
    engine: {
      embeddings: {
        type: "api",
        url: model.url,
        model: "test-model",
        apiKey: "sk-model",
        queryPrefix: "query: ",
        documentPrefix: "passage: ",
        batchSize: 32,
        concurrency: 2,
        timeoutMs: 1000,
      },
    },
  });
}

interface Play {
  readonly agent: Agent;
  readonly model: TestEmbedder;
}

/** Declares a test with the embedded engine, and one with a remote engine. */
function scenario(name: string, play: (kb: Play) => Promise<void>): void {
  Deno.test(`Hybrid search / ${name} [engine embedded]`, async () => {
    await using model = TestEmbedder.start({ apiKey: "sk-model" });
    await using server = await startTestServer({
      env: {
        KB_EMBEDDINGS_URL: model.url,
        KB_EMBEDDINGS_MODEL: "test-model",
        KB_EMBEDDINGS_API_KEY: "sk-model",
        KB_EMBEDDINGS_QUERY_PREFIX: "query: ",
        KB_EMBEDDINGS_DOCUMENT_PREFIX: "passage: ",
        KB_EMBEDDINGS_TIMEOUT: "1s",
      },
    });
    await using agent = await connectAgent(server.url);
    await play({ agent, model });
  });
  Deno.test(`Hybrid search / ${name} [engine over HTTP]`, async () => {
    await using model = TestEmbedder.start({ apiKey: "sk-model" });
    await using engine = await engineWith(model);
    await using server = await startTestServer({ env: { KB_ENGINE_URL: engine.url } });
    await using agent = await connectAgent(server.url);
    await play({ agent, model });
  });
}

interface Answer {
  readonly mode: string;
  readonly results: readonly { readonly title: string; readonly text: string }[];
  readonly total?: number;
  readonly warning?: string;
  readonly hint?: string;
  readonly vectors?: { readonly embedded: number; readonly total: number };
}

async function search(agent: Agent, args: Record<string, unknown>): Promise<Answer> {
  const { isError, text, structured } = await agent.call("kb_search", args);
  assertEquals(isError, false, text);
  assert(!text.includes("sk-model"));
  // The text content repeats the structured content, for clients that ignore the latter.
  assertEquals(JSON.parse(text.split("\n")[0]!), structured);
  return structured as unknown as Answer;
}

interface Status {
  readonly model: string;
  readonly vectors: {
    readonly dimensions: number | null;
    readonly embedded: number;
    readonly refused: number;
    readonly total: number;
    readonly memory_bytes: number;
    readonly error: string | null;
  };
}

async function status(agent: Agent): Promise<Status> {
  const { text, structured } = await agent.call("kb_status");
  assert(!text.includes("sk-model"));
  return structured["engine"] as Status;
}

/** Resolves when every chunk has a vector. */
async function allEmbedded(agent: Agent): Promise<void> {
  await vectorsWhen(agent, ({ embedded, total }) => embedded === total);
}

/** Resolves with the state of the vectors when it passes a test; fails after a minute. */
async function vectorsWhen(agent: Agent, passes: (vectors: Status["vectors"]) => boolean) {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const { vectors } = await status(agent);
    if (passes(vectors)) return vectors;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("The vectors did not reach the expected state within a minute");
}

async function addNotes(agent: Agent): Promise<void> {
  const notes = [
    ["Garage", "Our automobile needs new tyres before the winter.", "documents"],
    ["Surgery", "The physician sees patients on Tuesday mornings.", "memory"],
    ["Garden", "Ferns want shade and water.", "memory"],
  ] as const;
  for (const [title, text, collection] of notes) {
    assertEquals((await agent.call("kb_addnote", { title, text, collection })).isError, false);
  }
}

scenario(
  "Search by meaning: kb_search finds passages without the query words, and returns the mode",
  async (kb) => {
    await addNotes(kb.agent);
    await allEmbedded(kb.agent);

    const hybrid = await search(kb.agent, { query: "vehicle", mode: "hybrid" });
    const unset = await search(kb.agent, { query: "vehicle" });
    const words = await search(kb.agent, { query: "vehicle", mode: "fts" });
    const memory = await search(kb.agent, { query: "vehicle", mode: "vector", collection: "memory" });

    assertEquals([hybrid.mode, hybrid.results[0]?.title, hybrid.total], ["hybrid", "Garage", 3]);
    assertEquals({ ...unset, now: "" }, { ...hybrid, now: "" });
    assertEquals([words.mode, words.results.length], ["fts", 0]);
    assertEquals(memory.mode, "vector");
    assertEquals(memory.results.map(({ title }) => title).toSorted(), ["Garden", "Surgery"]);
    assertEquals([hybrid.warning, hybrid.vectors], [undefined, undefined]);
    assertEquals(hybrid.hint?.startsWith("No searched text contains a word of the query"), true);
    const known = await search(kb.agent, { query: "automobile" });
    assertEquals([known.results[0]?.title, known.hint], ["Garage", undefined]);
  },
);

scenario("Model fails: the result is full text, with a warning", async (kb) => {
  await addNotes(kb.agent);
  await allEmbedded(kb.agent);
  kb.model.options.respond = () => errorResponse(503);

  const output = await search(kb.agent, { query: "ferns", mode: "hybrid" });
  const again = await search(kb.agent, { query: "physician" });

  assertEquals([output.mode, output.results.map(({ title }) => title)], ["fts", ["Garden"]]);
  assertEquals(output.warning, "Searched full text only: The embedding model is not available (503)");
  assertEquals([again.mode, again.results[0]?.title, again.warning], ["fts", "Surgery", output.warning]);
});

scenario("Vectors are pending: search results and kb_status report their progress", async (kb) => {
  const held = Promise.withResolvers<void>();
  kb.model.options.respond = async ([text = ""]) => {
    if (text.startsWith("passage: ")) await held.promise;
    return undefined;
  };
  await addNotes(kb.agent);

  const before = await search(kb.agent, { query: "automobile" });
  const { model, vectors } = await status(kb.agent);
  held.resolve();
  await allEmbedded(kb.agent);
  const after = await search(kb.agent, { query: "automobile" });

  assertEquals([before.results[0]?.title, before.vectors], ["Garage", { embedded: 0, total: 3 }]);
  assertEquals([model, vectors.embedded, vectors.total], ["test-model", 0, 3]);
  // The thread that searches them reports its memory beside the result.
  const { memory_bytes: _, ...counts } = await vectorsWhen(kb.agent, ({ memory_bytes }) => memory_bytes > 0);
  assertEquals(counts, { dimensions: 64, embedded: 3, refused: 0, total: 3, error: null });
  assertEquals([after.results[0]?.title, after.vectors], ["Garage", undefined]);
});

scenario("Pages: the cursor of a hybrid search continues after the previous page", async (kb) => {
  await addNotes(kb.agent);
  await allEmbedded(kb.agent);
  const whole = await search(kb.agent, { query: "the automobile" });

  const titles: string[] = [];
  let cursor: unknown;
  do {
    const page = await search(kb.agent, { query: "the automobile", top: 1, ...(cursor ? { cursor } : {}) });
    titles.push(...page.results.map(({ title }) => title));
    cursor = (page as { next_cursor?: string }).next_cursor;
  } while (cursor);
  const { isError, text } = await kb.agent.call("kb_search", { query: "the automobile", cursor: "W10" });

  assertEquals(titles, whole.results.map(({ title }) => title));
  assertEquals([titles.length, isError], [3, true]);
  assertStringIncludes(text, "cursor must be the next_cursor of the previous page");
});

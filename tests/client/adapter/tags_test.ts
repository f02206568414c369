import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineClient, EngineError } from "../../../src/client/mod.ts";

const PREFIX = "collection:";

interface TagEngineOptions {
  readonly supportsPrefix?: boolean;
  /** Omits the tags from the response to a change. */
  readonly silent?: boolean;
  /** Runs after every change, like another client. */
  readonly interfere?: (tags: Set<string>) => void;
}

/**
 * An engine with one document. Each change is a transaction; without `supportsPrefix` it ignores
 * `remove_prefix`.
 */
function tagEngine(initial: readonly string[], options: TagEngineOptions = {}) {
  const state = { tags: new Set(initial), requests: [] as string[] };
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: async (request) => {
      state.requests.push(`${request.method} ${new URL(request.url).pathname}`);
      if (request.method === "POST") {
        const { remove, add, remove_prefix } = await request.json();
        for (const tag of remove) state.tags.delete(tag);
        if (options.supportsPrefix && remove_prefix !== undefined) {
          for (const tag of state.tags) if (tag.startsWith(remove_prefix)) state.tags.delete(tag);
        }
        for (const tag of add) state.tags.add(tag);
        options.interfere?.(state.tags);
        return Response.json({ document_id: 1, ...(options.silent ? {} : { tags: [...state.tags] }) });
      }
      return Response.json({ document_id: 1, title: null, doc_type: "note", tags: [...state.tags] });
    },
  });
  return { client, state };
}

const CHANGE = "POST /api/v1/documents/1/tags";
const READ = "GET /api/v1/documents/1";
const moveTo = (name: string) => ({ remove: [], add: [PREFIX + name], remove_prefix: PREFIX });

for (const supportsPrefix of [true, false]) {
  const engine = supportsPrefix ? "contract 3.1" : "contract 3.0";
  Deno.test(`${engine}: a change that nothing interferes with is one request`, async () => {
    const { client, state } = tagEngine(["collection:documents", "kept"], { supportsPrefix });
    const { tags } = await client.changeTags(1, { ...moveTo("memory"), remove: ["collection:documents"] });
    assertEquals(tags.toSorted(), ["collection:memory", "kept"]);
    assertEquals(state.requests, [CHANGE]);
  });

  Deno.test(`${engine}: concurrent changes leave exactly one tag with the prefix`, async () => {
    for (let round = 0; round < 40; round++) {
      const { client, state } = tagEngine(["collection:documents", "kept"], { supportsPrefix });
      const names = ["memory", "workspace"];
      const results = await Promise.all(
        names.map((name) => client.changeTags(1, { ...moveTo(name), remove: ["collection:documents"] })),
      );
      const left = [...state.tags].filter((tag) => tag.startsWith(PREFIX));
      assertEquals(left.length, 1);
      assert(state.tags.has("kept"));
      assert(results.some(({ tags }) => tags.includes(left[0]!)));
    }
  });
}

Deno.test("contract 3.0: a tag that another client added is removed", async () => {
  const { client, state } = tagEngine(["collection:documents", "collection:workspace"]);
  const { tags } = await client.changeTags(1, { ...moveTo("memory"), remove: ["collection:documents"] });
  assertEquals(tags, ["collection:memory"]);
  assertEquals(state.requests, [CHANGE, READ, CHANGE]);
});

Deno.test("contract 3.0: the prefix is removed without adding a tag", async () => {
  const { client } = tagEngine(["collection:documents", "collection:workspace", "kept"]);
  const change = { remove: ["collection:documents"], add: [], remove_prefix: PREFIX };
  assertEquals((await client.changeTags(1, change)).tags, ["kept"]);
});

Deno.test("if an engine does not return tags, they are requested once", async () => {
  const { client, state } = tagEngine(["collection:documents"], { silent: true });
  const { tags } = await client.changeTags(1, { ...moveTo("memory"), remove: ["collection:documents"] });
  assertEquals(tags, ["collection:memory"]);
  assertEquals(state.requests, [CHANGE, READ]);
});

Deno.test("a document whose tags other clients keep changing fails as busy after eight changes", async () => {
  const { client, state } = tagEngine([], { interfere: (tags) => tags.add("collection:workspace") });
  const error = await assertRejects(() => client.changeTags(1, moveTo("memory")), EngineError);
  assertEquals(error.code, "busy");
  assertEquals(state.requests.filter((line) => line === CHANGE).length, 8);
});

Deno.test("a change without a prefix is one request, regardless of the remaining tags", async () => {
  const { client, state } = tagEngine(["a", "b"], { interfere: (tags) => tags.delete("c") });
  assertEquals((await client.changeTags(1, { remove: ["a"], add: ["c"] })).tags, ["b"]);
  assertEquals(state.requests, [CHANGE]);
});

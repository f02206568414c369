import { assert, assertEquals } from "@std/assert";
import type { SearchRequest, SearchResponse } from "../../../src/contract/mod.ts";
import { SearchCache, type SearchCacheOptions } from "../../../src/engine/sqlite/search_cache.ts";
import { EncodedJson } from "../../../src/data_structures/mod.ts";
import {
  type EncodedSearch,
  encodeSearch,
} from "../../../src/engine/sqlite/search_threads/encoded_search.ts";
import { openForReading } from "../../../src/engine/sqlite/store/mod.ts";
import { TestStore } from "./store/test_store.ts";

const valueOf = ({ response }: EncodedSearch<Uint8Array<ArrayBuffer>>) =>
  new EncodedJson<SearchResponse>(response).value;

/** A cache over a store, and searches whose responses are numbered. */
async function open(options: Partial<SearchCacheOptions> = {}) {
  const store = await TestStore.open();
  const db = openForReading(store.dir);
  const cache = new SearchCache({ db, now: () => "2026-03-31T09:00:00.000Z", ...options });
  let searches = 0;
  const respond = (more: Partial<SearchResponse> = {}): SearchResponse => ({
    mode: "fts",
    results: [],
    total: ++searches,
    filters_applied: { tags: ["a"] },
    ...more,
  });
  return {
    store,
    respond,
    search: async (request: SearchRequest, more?: Partial<SearchResponse>) =>
      valueOf(await cache.search(request, () => Promise.resolve(encodeSearch(respond(more))))),
    cache,
    async [Symbol.asyncDispose]() {
      db.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

Deno.test("SearchCache: the response to the same request is known", async () => {
  await using test = await open();
  const search = () => Promise.resolve(encodeSearch(test.respond()));
  const first = await test.cache.search({ query: "herons", top: 3 }, search);
  assert(await test.cache.search({ query: "herons", top: 3 }, search) === first);
  assertEquals((await test.search({ query: "herons", top: 4 })).total, 2);
});

Deno.test("SearchCache: a commit or another day ends all responses", async () => {
  let day = "2026-03-31";
  await using test = await open({ now: () => `${day}T09:00:00.000Z` });
  assertEquals((await test.search({ query: "herons" })).total, 1);
  await test.store.addNote("Herons nest in spring.");
  assertEquals((await test.search({ query: "herons" })).total, 2);
  day = "2026-04-01";
  assertEquals((await test.search({ query: "herons" })).total, 3);
  assertEquals((await test.search({ query: "herons" })).total, 3);
});

Deno.test("SearchCache: a response that a commit has overtaken is not kept", async () => {
  await using test = await open();
  const overtaken = await test.cache.search({ query: "herons" }, async () => {
    const response = encodeSearch(test.respond());
    await test.store.addNote("Herons nest in spring.");
    return response;
  });
  assertEquals([valueOf(overtaken).total, (await test.search({ query: "herons" })).total], [1, 2]);
});

Deno.test("SearchCache: a response that another search has overtaken after a commit is not kept", async () => {
  await using test = await open();
  await test.cache.search({ query: "herons" }, async () => {
    const response = encodeSearch(test.respond());
    await test.store.addNote("Herons nest in spring.");
    assertEquals((await test.search({ query: "ibis" })).total, 2);
    return response;
  });
  assertEquals((await test.search({ query: "herons" })).total, 3);
  assertEquals((await test.search({ query: "ibis" })).total, 2);
});

Deno.test("SearchCache: responses that may change without a commit are not kept while a model is in use", async () => {
  await using test = await open({ missingModel: () => undefined });
  const passing: Partial<SearchResponse>[] = [
    { warning: "Searched full text only: the embedding model does not respond" },
    { vectors: { embedded: 1, total: 2 } },
  ];
  for (const more of passing) {
    const first = await test.search({ query: "herons" }, more);
    assertEquals((await test.search({ query: "herons" }, more)).total, first.total! + 1);
  }
  const complete = await test.search({ query: "ibis" }, { vectors: { embedded: 2, total: 2 } });
  assertEquals(await test.search({ query: "ibis" }), complete);
});

Deno.test("SearchCache: without a model, responses with warnings are kept until there is one", async () => {
  let missingModel: string | undefined = "No model is installed";
  await using test = await open({ missingModel: () => missingModel });
  const more = {
    warning: "Searched full text only: No model is installed",
    vectors: { embedded: 0, total: 2 },
  };
  const first = await test.search({ query: "herons" }, more);
  assertEquals(await test.search({ query: "herons" }, more), first);
  missingModel = undefined;
  assertEquals((await test.search({ query: "herons" })).total, 2);
});

Deno.test("SearchCache: the least recently used responses make place for others", async () => {
  // The objects of a response without results take more than its JSON.
  await using test = await open({ maxBytes: 20_000 });
  const queries = Array.from({ length: 20 }, (_, at) => `heron ${at}`);
  const first = await test.search({ query: "used again" });
  for (const query of queries) {
    await test.search({ query });
    assertEquals(await test.search({ query: "used again" }), first);
  }
  assertEquals((await test.search({ query: "heron 0" })).total, queries.length + 2);
  const large = await test.search({ query: "x".repeat(2000) });
  assertEquals((await test.search({ query: "x".repeat(2000) })).total, large.total! + 1);
});

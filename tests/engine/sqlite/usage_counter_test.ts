import { assertEquals } from "@std/assert";
import { UsageCounter } from "../../../src/engine/sqlite/usage_counter.ts";
import type { DocumentUses } from "../../../src/engine/sqlite/store/mod.ts";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";

function recorder() {
  const stored: (readonly [id: number, uses: number, at: string])[][] = [];
  let seconds = 0;
  const counter = new UsageCounter({
    now: () => `${seconds++}`,
    store: (uses: readonly DocumentUses[]) => {
      stored.push(uses.map(({ documentId, uses, lastUsedAt }) => [documentId, uses, lastUsedAt]));
      return Promise.resolve();
    },
  });
  return { counter, stored };
}

Deno.test("counts are stored together, and only once", async () => {
  const { counter, stored } = recorder();
  counter.count([1, 2, 2]);
  counter.count([2]);
  counter.count([]);
  assertEquals(stored, []);
  await counter.flush();
  await counter.flush();
  assertEquals(stored, [[[1, 1, "0"], [2, 2, "1"]]]);
  counter.count([3]);
  await counter[Symbol.asyncDispose]();
  counter.count([4]);
  await counter[Symbol.asyncDispose]();
  assertEquals(stored.slice(1), [[[3, 1, "3"]]]);
});

Deno.test("counts of many documents are stored without delay", async () => {
  const { counter, stored } = recorder();
  counter.count(Array.from({ length: 10_000 }, (_, i) => i));
  assertEquals(stored.length, 1);
  await counter[Symbol.asyncDispose]();
});

Deno.test("counts that cannot be stored are no error", async () => {
  await using counter = new UsageCounter({
    store: () => Promise.reject(new Error("disk full")),
    now: () => "",
  });
  counter.count([1]);
  await counter.flush();
});

Deno.test("a list sorts by uses in searches and reads, also after a restart", async () => {
  await using engine = await EmbeddedEngine.open();
  const ids: number[] = [];
  for (const text of ["alpha tides", "beta", "gamma"]) {
    ids.push(Number((await engine.ingest({ text })).document_id));
  }
  const [alpha, beta, gamma] = ids as [number, number, number];
  const mostUsed = async () => {
    const { body } = await engine.call("queryDocuments", { body: { sort: "used" } });
    return body.documents.map(({ document_id }: { document_id: number }) => document_id);
  };
  for (let i = 0; i < 3; i++) await engine.call("getDocument", { id: beta });
  await engine.call("search", { body: { query: "alpha tides" } });
  assertEquals(await mostUsed(), [beta, alpha, gamma]);
  await engine.call("getDocument", { id: gamma, query: { chunks: "false" } });
  for (let i = 0; i < 3; i++) await engine.call("search", { body: { query: "alpha" } });
  await engine.reopen();
  assertEquals(await mostUsed(), [alpha, beta, gamma]);
  const { body } = await engine.call("getDocument", { id: beta });
  assertEquals([body.version, body.updated_at], [1, null]);
});

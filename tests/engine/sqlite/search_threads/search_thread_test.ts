import { assertEquals } from "@std/assert";
import type { ThreadPort } from "../../../../src/async/mod.ts";
import type { VectorSearch } from "../../../../src/engine/search/mod.ts";
import { PendingRead, SearchThread } from "../../../../src/engine/sqlite/search_threads/search_thread.ts";

Deno.test("a thread is free while it waits for vectors, but not while it still ranks by words", async () => {
  let receive = (_message: unknown) => {};
  const port: ThreadPort = {
    post() {},
    onMessage: (listener) => receive = listener,
    onEnd() {},
    terminate: () => Promise.resolve(),
  };
  const ranked = Promise.withResolvers<{ warning: string }>();
  const vectors: VectorSearch = {
    embed: () => () => ranked.promise,
    embedNote: () => Promise.resolve(undefined),
    embedded: () => 1,
    refused: () => 0,
  };
  const thread = new SearchThread({
    settings: { dataDir: "", warmsUp: false },
    spawn: () => port,
    vectors,
    onChange() {},
  });
  await Promise.resolve();
  for (const type of ["ready", "opened"]) receive({ type });
  const running = thread.run(new PendingRead("search", { query: "tea" }));
  const notify = (notice: Record<string, unknown>) =>
    receive({ type: "notice", notice: { slot: 0, ...notice } });
  notify({ query: "tea" });
  notify({ id: 1, question: { type: "rank", request: { limit: 1, allowed: undefined } } });
  const states = [thread.isFree];
  notify({ isWaiting: true });
  states.push(thread.isFree);
  ranked.resolve({ warning: "" });
  await new Promise((resolve) => setTimeout(resolve));
  states.push(thread.isFree);
  // The reply may have been sent before.
  notify({ isWaiting: true });
  states.push(thread.isFree);
  assertEquals(states, [false, true, false, false]);
  receive({ type: "response", id: 1, output: {} });
  await running;
});

Deno.test("a search does not take the reply of the search before it for its own", async () => {
  let receive = (_message: unknown) => {};
  let replied = new Int32Array();
  const port: ThreadPort = {
    post(message) {
      const { type, settings } = message as { type: string; settings: { replied: Int32Array<ArrayBuffer> } };
      if (type === "open") ({ replied } = settings);
    },
    onMessage: (listener) => receive = listener,
    onEnd() {},
    terminate: () => Promise.resolve(),
  };
  const vectors: VectorSearch = {
    embed: () => () => Promise.resolve({ warning: "" }),
    embedNote: () => Promise.resolve(undefined),
    embedded: () => 1,
    refused: () => 0,
  };
  const thread = new SearchThread({
    settings: { dataDir: "", warmsUp: false },
    spawn: () => port,
    vectors,
    onChange() {},
  });
  await Promise.resolve();
  for (const type of ["ready", "opened"]) receive({ type });
  const states: number[] = [];
  for (const [index, tags] of [undefined, ["green"]].entries()) {
    const running = thread.run(new PendingRead("search", { query: "tea", ...(tags && { tags }) }));
    await new Promise((resolve) => setTimeout(resolve));
    states.push(replied[0] ?? -1);
    receive({ type: "response", id: index + 1, output: {} });
    await running;
  }
  assertEquals(states, [1, 0]);
});

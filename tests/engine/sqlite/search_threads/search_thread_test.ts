import { assertEquals, assertRejects } from "@std/assert";
import type { ThreadPort } from "../../../../src/async/mod.ts";
import type { VectorRanker, VectorSearch } from "../../../../src/engine/search/mod.ts";
import type { SearchThreadSettings } from "../../../../src/engine/sqlite/search_threads/protocol.ts";
import { PendingRead, SearchThread } from "../../../../src/engine/sqlite/search_threads/search_thread.ts";

/** Returns a thread that is open, with the receiver of its messages and the settings that it got. */
async function openThread(rank: VectorRanker) {
  let receive = (_message: unknown) => {};
  const settings: Pick<SearchThreadSettings, "replied">[] = [];
  const port: ThreadPort = {
    post(message) {
      const { type, settings: sent } = message as { type: string; settings: SearchThreadSettings };
      if (type === "open") settings.push(sent);
    },
    onMessage: (listener) => receive = listener,
    onEnd() {},
    terminate: () => Promise.resolve(),
  };
  const vectors: VectorSearch = {
    embed: () => rank,
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
  return { thread, receive, settings };
}

Deno.test("a thread is free while it waits for vectors, but not while it still ranks by words", async () => {
  const ranked = Promise.withResolvers<{ warning: string }>();
  const { thread, receive } = await openThread(() => ranked.promise);
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
  const { thread, receive, settings } = await openThread(() => Promise.resolve({ warning: "" }));
  const states: number[] = [];
  for (const [index, tags] of [undefined, ["green"]].entries()) {
    const running = thread.run(new PendingRead("search", { query: "tea", ...(tags && { tags }) }));
    await new Promise((resolve) => setTimeout(resolve));
    states.push(settings[0]?.replied[0] ?? -1);
    receive({ type: "response", id: index + 1, output: {} });
    await running;
  }
  assertEquals(states, [1, 0]);
});

Deno.test("a search whose query cannot be embedded is rejected, and leaves its thread free", async () => {
  let receive = (_message: unknown) => {};
  const port: ThreadPort = {
    post() {},
    onMessage: (listener) => receive = listener,
    onEnd() {},
    terminate: () => Promise.resolve(),
  };
  const thread = new SearchThread({
    settings: { dataDir: "", warmsUp: false },
    spawn: () => port,
    vectors: {
      embed() {
        throw new Error("out of memory");
      },
      embedNote: () => Promise.resolve(undefined),
      embedded: () => 1,
      refused: () => 0,
    },
    onChange() {},
  });
  await Promise.resolve();
  for (const type of ["ready", "opened"]) receive({ type });
  const read = new PendingRead("search", { query: "tea" });
  const rejected = assertRejects(() => read.result.promise, Error, "out of memory");
  assertEquals(await thread.run(read), undefined);
  await rejected;
  assertEquals([thread.isFree, thread.size], [true, 0]);
});

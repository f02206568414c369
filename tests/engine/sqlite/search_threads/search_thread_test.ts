import { assertEquals, assertRejects } from "@std/assert";
import type { ThreadPort } from "../../../../src/async/mod.ts";
import type { VectorRanker, VectorSearch } from "../../../../src/engine/search/mod.ts";
import type { SearchThreadSettings } from "../../../../src/engine/sqlite/search_threads/protocol.ts";
import { PendingRead, SearchThread } from "../../../../src/engine/sqlite/search_threads/search_thread.ts";
import { SharedRanking } from "../../../../src/engine/sqlite/vectors/mod.ts";

/** Returns a thread that is open, with the receiver of its messages and the settings that it got. */
async function openThread(rank: VectorRanker) {
  let receive = (_message: unknown) => {};
  const settings: Pick<SearchThreadSettings, "rankings">[] = [];
  const notices: unknown[] = [];
  const port: ThreadPort = {
    post(message) {
      const { type, settings: sent } = message as { type: string; settings: SearchThreadSettings };
      if (type === "open") settings.push(sent);
      if (type === "notice") notices.push(message);
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
  return { thread, receive, settings, notices };
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

Deno.test("a thread that waits for a ranking is interrupted by a release, an end and a reply", async () => {
  const ranked = Promise.withResolvers<{ warning: string }>();
  const { thread, receive, settings } = await openThread(() => ranked.promise);
  const read = () => new PendingRead("search", { query: "tea" });
  const first = read();
  const running = [thread.run(first), thread.run(read()), thread.run(read())];
  await Promise.resolve();
  const waiting = settings[0]!.rankings.slice(0, 4).map((memory) => new SharedRanking(memory));
  const interrupted = () => waiting.map((each) => each.isInterrupted);
  const states = [interrupted()];
  thread.release();
  states.push(interrupted());
  for (const each of waiting) each.reset();
  first.result.promise.catch(() => {});
  first.end(new Error("ended"));
  states.push(interrupted());
  for (const each of waiting) each.reset();
  ranked.resolve({ warning: "" });
  await new Promise((resolve) => setTimeout(resolve));
  states.push(interrupted());
  const [none, all] = [[false, false, false, false], [true, true, true, false]];
  assertEquals(states, [none, all, all, all]);
  for (const id of [1, 2, 3]) receive({ type: "response", id, output: {} });
  await Promise.all(running);
});

Deno.test("a search begins without the interruption of the one before it", async () => {
  const { thread, receive, settings } = await openThread(() => new Promise(() => {}));
  const states: boolean[] = [];
  for (const id of [1, 2]) {
    const running = thread.run(new PendingRead("search", { query: "tea" }));
    await Promise.resolve();
    const ranking = new SharedRanking(settings[0]!.rankings[0]!);
    states.push(ranking.isInterrupted);
    thread.release();
    states.push(ranking.isInterrupted);
    receive({ type: "response", id, output: {} });
    await running;
  }
  assertEquals(states, [false, true, false, true]);
});

Deno.test("no reply is sent for a ranking that the thread has taken", async () => {
  const rankings: ReturnType<typeof Promise.withResolvers<{ warning: string }>>[] = [];
  const { thread, receive, settings, notices } = await openThread(({ shared }) => {
    const nearest = {
      ids: Uint32Array.of(1),
      scores: Float32Array.of(1),
      setId: 1,
      spread: 1,
      embedded: 1,
      passing: 1,
    };
    const target = { ...shared!, totals: { embedded: 1, refused: 0 } };
    new SharedRanking(target.memory).write(target, Float32Array.of(1), nearest);
    const ranked = Promise.withResolvers<{ warning: string }>();
    rankings.push(ranked);
    return ranked.promise;
  });
  const sent: number[] = [];
  for (const id of [1, 2]) {
    const running = thread.run(new PendingRead("search", { query: "tea" }));
    await Promise.resolve();
    if (id === 1) new SharedRanking(settings[0]!.rankings[0]!).take(-1);
    rankings.at(-1)!.resolve({ warning: "" });
    await new Promise((resolve) => setTimeout(resolve));
    sent.push(notices.length);
    receive({ type: "response", id, output: {} });
    await running;
  }
  assertEquals(sent, [0, 1]);
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

import { assertEquals } from "@std/assert";
import { EarlyThread, type ThreadPort } from "../../src/async/mod.ts";

function port() {
  const ended = { count: 0 };
  const made: ThreadPort = {
    post: () => {},
    onMessage: () => {},
    onEnd: () => {},
    terminate: () => Promise.resolve(void ended.count++),
  };
  return { made, ended };
}

Deno.test("EarlyThread: starts at once, is taken once, and ends with its owner unless it was taken", async () => {
  const { made, ended } = port();
  let starts = 0;
  const spawn = () => (starts++, made);
  {
    await using thread = new EarlyThread(spawn);
    assertEquals(starts, 1);
    assertEquals([thread.take(), thread.take()], [made, undefined]);
  }
  assertEquals([starts, ended.count], [1, 0]);
  {
    await using _ = new EarlyThread(spawn);
  }
  assertEquals([starts, ended.count], [2, 1]);
});

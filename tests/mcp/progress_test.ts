import { assertEquals, assertThrows } from "@std/assert";
import { progressReporter, progressTokenOf } from "../../src/mcp/progress.ts";

Deno.test("progress is sent when it increases, at most every 100 ms, and always at the end", () => {
  let clock = 0;
  const sent: number[] = [];
  const report = progressReporter("t", ({ progress }) => sent.push(progress), () => clock);
  const at = (ms: number, progress: number) => {
    clock = ms;
    report({ progress, total: 10 });
  };
  at(0, 1);
  at(50, 2); // too early
  at(100, 2);
  at(300, 2); // no increase
  at(400, NaN);
  at(500, 1);
  at(510, 3);
  at(520, 10); // the end
  at(900, 10);
  assertEquals(sent, [1, 2, 3, 10]);
});

Deno.test("a progress token is a string or an integer", () => {
  assertEquals(progressTokenOf(undefined), undefined);
  assertEquals(progressTokenOf({}), undefined);
  assertEquals(progressTokenOf({ _meta: {} }), undefined);
  assertEquals(progressTokenOf({ _meta: { progressToken: "x".repeat(256) } })?.toString().length, 256);
  assertEquals(progressTokenOf({ _meta: { progressToken: 0 } }), 0);
  assertThrows(() => progressTokenOf({ _meta: { progressToken: null } }));
});

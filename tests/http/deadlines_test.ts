import { assertEquals } from "@std/assert";
import { Deadlines } from "../../src/http/deadlines.ts";

Deno.test("Deadlines ends the waits whose time has passed, and no other", () => {
  let now = 0;
  using deadlines = new Deadlines(100, () => now);
  const ended: string[] = [];
  const start = (name: string) => deadlines.start(() => ended.push(name));
  start("first");
  now = 50;
  const second = start("second");
  start("third");
  const last = start("last");
  now = 100;
  deadlines.sweep();
  assertEquals(ended, ["first"]);
  deadlines.end(second);
  deadlines.end(last);
  now = 1000;
  deadlines.sweep();
  assertEquals(ended, ["first", "third"]);
  start("fourth");
  now = 2000;
  deadlines.sweep();
  assertEquals(ended, ["first", "third", "fourth"]);
});

Deno.test("Deadlines ends waits by itself", async () => {
  using deadlines = new Deadlines(4);
  const keepAlive = setTimeout(() => {}, 10_000); // the deadlines' own timer keeps no process alive
  await new Promise<void>((resolve) => deadlines.start(resolve));
  clearTimeout(keepAlive);
});

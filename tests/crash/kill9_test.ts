import { assert, assertEquals } from "@std/assert";
import { killRepeatedly } from "./kill9.ts";

Deno.test("accepted jobs survive kill -9 during ingestion and are done exactly once", async () => {
  const { accepted, unfinished, notOnce, damage } = await killRepeatedly({
    kills: 3,
    maxAccepted: 20,
    maxDelayMs: 50,
    random: Math.random,
  });
  assert(accepted > 0);
  assertEquals({ unfinished, notOnce, damage }, { unfinished: [], notOnce: [], damage: [] });
});

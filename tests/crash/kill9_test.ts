import { assert, assertEquals } from "@std/assert";
import { killRepeatedly } from "./kill9.ts";

Deno.test("accepted jobs survive kill -9 during ingestion and are done exactly once", async () => {
  const { accepted, kills: _, edits: __, ...problems } = await killRepeatedly({
    kills: 3,
    senders: 8,
    editors: 1,
    maxAccepted: 30,
    maxDelayMs: 50,
    random: Math.random,
  });
  assert(accepted > 0);
  assertEquals(problems, { unfinished: [], notOnce: [], lostEdits: [], damage: [] });
});

import { assertEquals, assertRejects } from "@std/assert";
import { ClaimedFiles } from "../../../src/engine/ingestion/claimed_files.ts";
import type { ClaimedFile, ClaimOptions } from "../../../src/engine/knowledge_base/mod.ts";

/** A queue of files with the ids 1 to `count`, which records its calls. */
function queueOf(count: number) {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const claims: ClaimOptions[] = [];
  const released: number[] = [];
  return {
    claims,
    released,
    claimFiles: (options: ClaimOptions = {}) => {
      claims.push(options);
      return Promise.resolve(
        ids.splice(0, options.max).map((jobId): ClaimedFile => ({
          jobId,
          spoolFile: "f",
          sizeBytes: 1,
          isLarge: false,
          depth: 0,
        })),
      );
    },
    releaseFile: (jobId: number) => Promise.resolve(void released.push(jobId)),
  };
}

Deno.test("files are claimed one by one until files are quick, and then together and ahead", async () => {
  const queue = queueOf(9);
  const claimed = new ClaimedFiles(queue);
  assertEquals((await claimed.next(() => true))?.jobId, 1);
  for (const ms of [1, 1]) claimed.extracted(ms);
  assertEquals((await claimed.next(() => false))?.jobId, 2);
  for (const id of [3, 4, 5]) assertEquals((await claimed.next(() => true))?.jobId, id);
  claimed.extracted(1000);
  for (const id of [6, 7, 8, 9, undefined]) assertEquals((await claimed.next(() => true))?.jobId, id);
  assertEquals(queue.claims.slice(0, 3), [
    { withLarge: true, max: 1 },
    { withLarge: false, max: 4 },
    { stopsAtLarge: true, max: 4 },
  ]);
  assertEquals(queue.claims.at(-1), { withLarge: true, max: 1 });
});

Deno.test("claimed files that have not been started are removed by id, or requeued", async () => {
  const queue = queueOf(4);
  const claimed = new ClaimedFiles(queue);
  for (const ms of [1, 1]) claimed.extracted(ms);
  assertEquals((await claimed.next(() => true))?.jobId, 1);
  assertEquals([claimed.remove(2), claimed.remove(1), claimed.size], [true, false, 2]);
  await claimed.release();
  assertEquals([queue.released, claimed.size], [[3, 4], 0]);
});

Deno.test("a claim that fails is reported once nothing is claimed", async () => {
  const queue = queueOf(2);
  const claimed = new ClaimedFiles({
    ...queue,
    claimFiles: (options = {}) =>
      options.stopsAtLarge || queue.claims.length > 0
        ? Promise.reject(new Error("disk"))
        : queue.claimFiles(options),
  });
  claimed.extracted(1);
  assertEquals((await claimed.next(() => true))?.jobId, 1);
  assertEquals((await claimed.next(() => true))?.jobId, 2);
  await assertRejects(() => claimed.next(() => true), Error, "disk");
});

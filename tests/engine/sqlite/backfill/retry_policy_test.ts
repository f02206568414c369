import { assert, assertEquals } from "@std/assert";
import { EmbeddingError } from "../../../../src/embeddings/mod.ts";
import { RetryPolicy } from "../../../../src/engine/sqlite/backfill/retry_policy.ts";

Deno.test("RetryPolicy: the model is probed after three consecutive failures", () => {
  const retry = new RetryPolicy();
  assertEquals([retry.failed(), retry.failed()], [false, false]);
  retry.succeeded();
  assertEquals([retry.failed(), retry.failed(), retry.failed()], [false, false, true]);
});

Deno.test("RetryPolicy: after a bad text, the model is probed after each failure", () => {
  const retry = new RetryPolicy();
  retry.foundBadText();
  assertEquals(retry.failed(), true);
  retry.succeeded();
  assertEquals(retry.failed(), true);
});

Deno.test("RetryPolicy: delays double up to a minute, or follow Retry-After", () => {
  const retry = new RetryPolicy();
  for (let failures = 1; failures <= 10; failures++) {
    retry.failed();
    const max = Math.min(250 * 2 ** (failures - 1), 60_000);
    const delayMs = retry.delayMs(new Error("failed"));
    assert(delayMs >= max / 2 && delayMs <= max, `${delayMs} ms after ${failures} failures`);
  }
  const error = new EmbeddingError("overloaded", "Too many requests", { retryAfterMs: 300_000 });
  assertEquals(retry.delayMs(error), 300_000);
});

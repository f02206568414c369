import { assert, assertEquals } from "@std/assert";
import { EmbeddingError } from "../../../../src/embeddings/mod.ts";
import { RetryPolicy } from "../../../../src/engine/sqlite/backfill/retry_policy.ts";

function fail(retry: RetryPolicy): boolean {
  retry.recordFailure();
  return retry.shouldProbe;
}

Deno.test("RetryPolicy: the model is probed after three consecutive failures", () => {
  const retry = new RetryPolicy();
  assertEquals([fail(retry), fail(retry)], [false, false]);
  retry.recordSuccess();
  assertEquals([fail(retry), fail(retry), fail(retry)], [false, false, true]);
});

Deno.test("RetryPolicy: after a bad text, the model is probed after each failure", () => {
  const retry = new RetryPolicy();
  retry.recordBadText();
  assertEquals(fail(retry), true);
  retry.recordSuccess();
  assertEquals(fail(retry), true);
});

Deno.test("RetryPolicy: delays double up to a minute, or follow Retry-After", () => {
  const retry = new RetryPolicy();
  for (let failures = 1; failures <= 10; failures++) {
    retry.recordFailure();
    const max = Math.min(250 * 2 ** (failures - 1), 60_000);
    const delayMs = retry.delayMs(new Error("failed"));
    assert(delayMs >= max / 2 && delayMs <= max, `${delayMs} ms after ${failures} failures`);
  }
  const error = new EmbeddingError("overloaded", "Too many requests", { retryAfterMs: 300_000 });
  assertEquals(retry.delayMs(error), 300_000);
});

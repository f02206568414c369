import { assertEquals } from "@std/assert";
import { readinessHandler } from "../../src/http/health.ts";

Deno.test("readiness is checked at most once a second", async () => {
  let now = 0;
  let checks = 0;
  const readyz = readinessHandler({
    check: () => Promise.resolve(++checks === 2 ? "read_only" : "ready"),
    isDraining: () => false,
    now: () => now,
  });
  const statuses: number[] = [];
  for (const at of [0, 500, 999, 1000, 1500, 2000]) {
    now = at;
    statuses.push((await readyz()).status);
  }
  assertEquals(statuses, [200, 200, 200, 503, 503, 200]);
  assertEquals(checks, 3);
});

Deno.test("a draining server is not ready, and does not check its engine", async () => {
  const readyz = readinessHandler({
    check: () => Promise.reject(new Error("must not be called")),
    isDraining: () => true,
  });
  const response = await readyz();
  assertEquals([response.status, await response.json()], [503, { status: "draining" }]);
});

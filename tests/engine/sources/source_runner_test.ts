import { assertEquals } from "@std/assert";
import { SourceRunner, type SyncScope } from "../../../src/engine/sources/source_runner.ts";
import type { SyncReport } from "../../../src/contract/mod.ts";

Deno.test("requests during a synchronization share one, which compares everything above 200 paths", async () => {
  for (const [count, expected] of [[200, 200], [201, undefined]] as const) {
    const scopes: SyncScope[] = [];
    const first = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const runner = new SourceRunner(async (scope) => {
      scopes.push(scope);
      started.resolve();
      await first.promise;
      return {} as SyncReport;
    });
    void runner.request({ paths: ["running.md"], retry: false });
    await started.promise;
    for (let n = 0; n < count; n++) void runner.request({ paths: [`${n}.md`], retry: false });
    first.resolve();
    await runner.idle();
    assertEquals([scopes.length, scopes[1]?.paths?.length], [2, expected]);
  }
});

Deno.test("a comparison at an interval does not follow one of everything, but follows one of some files", async () => {
  for (const [paths, expected] of [[undefined, 1], [["a.md"], 2]] as const) {
    let runs = 0;
    const first = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const runner = new SourceRunner(async () => {
      runs++;
      started.resolve();
      await first.promise;
      return {} as SyncReport;
    });
    void runner.request({ paths, retry: false });
    await started.promise;
    const polled = runner.poll();
    first.resolve();
    await polled;
    assertEquals(runs, expected);
    await runner.poll();
    assertEquals(runs, expected + 1);
    await runner.request({ paths: undefined, retry: false });
    await runner.idle();
    await runner.poll();
    assertEquals(runs, expected + 2, "a comparison since the last poll is enough");
    await runner.poll();
    assertEquals(runs, expected + 3);
  }
});

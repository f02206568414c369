import { assertEquals } from "@std/assert";

Deno.test("loadStemmers: searches that need the stemmers at once import them once", async () => {
  assertEquals(await inThread("stemmers"), { imports: 1, isLoaded: true });
});

Deno.test("loadDetector: languages without stems are detected without the stemmers", async () => {
  assertEquals(await inThread("detector"), {
    imports: 1,
    isLoaded: false,
    withoutStems: { language: null, stemmed: [] },
    withStems: "unknown",
  });
});

/** Runs the worker, in which no other test has loaded anything. */
async function inThread(name: string): Promise<unknown> {
  const worker = new Worker(import.meta.resolve("./tables_worker.ts"), { type: "module", name });
  const { data } = await new Promise<MessageEvent>((resolve) => worker.onmessage = resolve);
  worker.terminate();
  return data;
}

import { assertEquals } from "@std/assert";

Deno.test("loadStemmers: searches that need the stemmers at once import them once", async () => {
  const worker = new Worker(import.meta.resolve("./tables_worker.ts"), { type: "module" });
  const { data } = await new Promise<MessageEvent>((resolve) => worker.onmessage = resolve);
  worker.terminate();
  assertEquals(data, { imports: 1, isLoaded: true });
});

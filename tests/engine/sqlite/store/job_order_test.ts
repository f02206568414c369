import { assertEquals } from "@std/assert";
import { sha256, TestStore } from "./test_store.ts";

const MiB = 2 ** 20;

/** Adds a file job. Returns its id. */
function add(
  store: TestStore,
  name: string,
  options: { sizeBytes?: number; sourcePath?: string; actor?: string } = {},
) {
  const { job_id } = store.write("createJob", {
    spoolFile: name,
    contentHash: sha256(name),
    sizeBytes: 1,
    tags: [],
    ...options,
  });
  return Number(job_id);
}

const claim = (store: TestStore, withLarge = true) => store.write("claimFiles", { withLarge })[0]?.jobId;

Deno.test("small files are claimed before large ones, which a caller can exclude", async () => {
  await using store = await TestStore.open();
  const large = add(store, "large", { sizeBytes: 50 * MiB });
  const small = add(store, "small");
  assertEquals([claim(store), claim(store, false), claim(store)], [small, undefined, large]);
});

Deno.test("files with the same source_path are claimed one after the other, in the order of their acceptance", async () => {
  await using store = await TestStore.open();
  const first = add(store, "first", { sizeBytes: MiB, sourcePath: "p" });
  const second = add(store, "second", { sourcePath: "p" });
  const other = add(store, "other", { sourcePath: "q" });
  assertEquals([claim(store), claim(store), claim(store)], [other, first, undefined]);
  store.write("failJob", first, "damaged", "it is broken");
  assertEquals(claim(store), second);
  store.write("retryJob", first);
  assertEquals(claim(store), undefined);
  store.write("failJob", second, "damaged", "it is broken");
  assertEquals(claim(store), first);
});

Deno.test("an interrupted file keeps its turn among those with its source_path", async () => {
  await using store = await TestStore.open();
  const [first, second] = [
    add(store, "first", { sourcePath: "p" }),
    add(store, "second", { sourcePath: "p" }),
  ];
  claim(store);
  store.write("releaseFile", first);
  store.db.exec(`UPDATE jobs SET attempts = 5 WHERE id = ${first}`);
  assertEquals(claim(store), first);
  store.write("failJob", first, "damaged", "it is broken");
  assertEquals(claim(store), second);
});

Deno.test("files of a sender with many do not delay those of another one", async () => {
  await using store = await TestStore.open();
  for (let i = 0; i < 20; i++) add(store, `ann ${i}`, { actor: "ann" });
  claim(store);
  const bob = add(store, "bob", { actor: "bob" });
  assertEquals([claim(store), claim(store)].includes(bob), true);
});

Deno.test("a postponed archive waits for the files of others, and keeps its turn among those with its source_path", async () => {
  await using store = await TestStore.open();
  const [archive, waiting] = [add(store, "a.zip"), add(store, "b.zip", { sourcePath: "p" })];
  const later = add(store, "later", { sourcePath: "p" });
  assertEquals([claim(store), claim(store)], [archive, waiting]);
  const contentHash = sha256("file");
  const files = ["c", "d"].map((path) => ({ path, spoolFile: path, contentHash, sizeBytes: 50 * MiB }));
  store.write("finishArchive", { jobId: archive, files });
  const [c, d] = [later + 1, later + 2];
  store.db.exec(`UPDATE jobs SET attempts = 2 WHERE id = ${c}`);
  store.write("postponeFile", waiting);
  // The process for small files does not start it, either.
  assertEquals(claim(store, false), undefined);
  assertEquals([claim(store), claim(store), claim(store), claim(store)], [d, c, waiting, undefined]);
  store.write("failJob", waiting, "damaged", "it is broken");
  assertEquals(claim(store), later);
});

Deno.test("small files are claimed together, without files that were interrupted", async () => {
  await using store = await TestStore.open();
  const interrupted = add(store, "interrupted");
  store.db.exec("UPDATE jobs SET attempts = 1");
  const small = ["a", "b", "c"].map((name) => add(store, name));
  const claimAll = (max: number) => store.write("claimFiles", { max }).map(({ jobId }) => jobId);
  assertEquals(claimAll(2), small.slice(0, 2));
  assertEquals([claimAll(9), claimAll(9), claimAll(9)], [small.slice(2), [interrupted], []]);
});

Deno.test("a claim of several files stops where a large one is next", async () => {
  await using store = await TestStore.open();
  const large = add(store, "large", { sizeBytes: 3 * MiB });
  const small = Array.from({ length: 60 }, (_, index) => add(store, `small ${index}`));
  const claimAll = () => store.write("claimFiles", { max: 16, stopsAtLarge: true }).map(({ jobId }) => jobId);
  const claimed: number[] = [];
  for (let ids = claimAll(); ids.length > 0; ids = claimAll()) claimed.push(...ids);
  assertEquals(claimed, small.slice(0, claimed.length));
  assertEquals([claimed.length < small.length, claim(store)], [true, large]);
});

Deno.test("a claim stops at a large file that waited for a small one with all attempts used", async () => {
  await using store = await TestStore.open();
  const interrupted = add(store, "interrupted", { sourcePath: "p" });
  store.db.exec("UPDATE jobs SET attempts = 10");
  const large = add(store, "large", { sizeBytes: 3 * MiB, sourcePath: "p" });
  assertEquals(store.write("claimFiles", { max: 16, stopsAtLarge: true }), []);
  assertEquals(store.job({ job_id: interrupted }).status, "failed");
  assertEquals(claim(store), large);
});

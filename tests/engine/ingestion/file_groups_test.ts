import { assertEquals, assertRejects } from "@std/assert";
import { FileGroups } from "../../../src/engine/ingestion/file_groups.ts";

/** Longer than any test: only complete groups are returned. */
const NEVER_MS = 600_000;

/** Reads of files that the test ends, and the files that were returned. */
function startReads(groups: FileGroups, count: number) {
  const returned: (string | undefined)[] = [];
  const reads = Array.from({ length: count }, () => Promise.withResolvers<string | undefined>());
  const results = reads.map(({ promise }) =>
    groups.read(() => promise).then((file) => {
      returned.push(file);
      return file;
    })
  );
  const end = async (index: number, file: string | undefined) => {
    reads[index]!.resolve(file);
    await microtasks();
  };
  return { reads, results, returned, end };
}

/** Waits for everything that waits for no timer, file or thread. */
async function microtasks(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

Deno.test("a file waits while more files are being read than wait", async () => {
  const { returned, end } = startReads(new FileGroups({ maxWaitMs: NEVER_MS }), 6);
  await end(0, "a");
  await end(1, "b");
  assertEquals(returned, []);
  await end(2, "c");
  assertEquals(returned, ["a", "b", "c"]);
  await end(3, "d");
  assertEquals(returned, ["a", "b", "c"]);
  await end(4, "e");
  assertEquals(returned, ["a", "b", "c", "d", "e"]);
  await end(5, "f");
  assertEquals(returned, ["a", "b", "c", "d", "e", "f"]);
});

Deno.test("nothing waits for a file that is not stored, or cannot be read", async () => {
  const { reads, results, returned, end } = startReads(new FileGroups({ maxWaitMs: NEVER_MS }), 4);
  await end(0, "a");
  await end(1, undefined);
  assertEquals(returned, [undefined]);
  reads[2]!.reject(new Error("unreadable"));
  await assertRejects(() => results[2]!, Error, "unreadable");
  await microtasks();
  assertEquals(returned, [undefined, "a"]);
  await end(3, "d");
  assertEquals(returned, [undefined, "a", "d"]);
});

Deno.test("a file waits for others for a limited time", async () => {
  const { results, returned, end } = startReads(new FileGroups({ maxWaitMs: 0 }), 3);
  await end(0, "a");
  assertEquals(await results[0], "a");
  await end(1, "b");
  await end(2, "c");
  assertEquals(returned, ["a", "b", "c"]);
});

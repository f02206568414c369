import { assert, assertEquals } from "@std/assert";
import { readSymbols, SYMBOL_TABLES, writeSymbols } from "../../../../src/engine/sqlite/store/mod.ts";
import { SymbolLearning } from "../../../../src/engine/sqlite/writer/symbol_learning.ts";
import { seededRandom } from "../../../support/random.ts";
import { prose, proseSymbols } from "../text_packing/prose.ts";
import { packedCount } from "../store/packed_store.ts";
import { draft, TestStore } from "../store/test_store.ts";

const OPTIONS = { idleChunks: 600, busyChunks: 900, chunksBetweenCopies: 100 };

/** Adds chunks of prose, in files of 20. */
function addProse(store: TestStore, chunks: number): void {
  for (let n = 0; n < chunks; n += 20) {
    const seed = store.count("documents");
    const random = seededRandom(seed);
    store.addFile(`file ${seed}`, {}, { chunks: Array.from({ length: 20 }, () => draft(prose(random, 40))) });
  }
}

/** Runs all steps that are due. Returns their number. */
function runSteps(learning: SymbolLearning, isIdle: boolean): number {
  let steps = 0;
  while (learning.step(isIdle)) steps++;
  return steps;
}

Deno.test("symbols are learned once the store has enough chunks, and later texts are packed", async () => {
  await using store = await TestStore.open();
  const learning = new SymbolLearning(store.db, OPTIONS);
  addProse(store, 580);
  assertEquals([learning.isDue(true), runSteps(learning, true)], [false, 0]);
  addProse(store, 20);
  assertEquals([learning.isDue(true), learning.isDue(false)], [true, false]);
  assert(runSteps(learning, true) > 40);
  assertEquals(readSymbols(store.db)?.incomplete, ["text_symbols_copy"]);
  // The second copy must not be next to the first one.
  addProse(store, 80);
  assertEquals([learning.isDue(true), packedCount(store.db)], [false, 0]);
  addProse(store, 20);
  assertEquals([learning.isDue(true), runSteps(learning, false)], [true, 0]);
  assertEquals(readSymbols(store.db)?.incomplete, []);
  addProse(store, 20);
  assertEquals(packedCount(store.db), 20);
  assertEquals([learning.isDue(true), learning.isDue(false)], [false, false]);
  store.check();
});

Deno.test("writes that follow each other do not keep a large store from learning", async () => {
  await using store = await TestStore.open();
  const learning = new SymbolLearning(store.db, OPTIONS);
  addProse(store, 900);
  assert(learning.isDue(false));
  while (learning.step(false)) {
    if (learning.isDue(false) && store.count("documents") < 60) addProse(store, 20);
  }
  assertEquals(readSymbols(store.db)?.isComplete, true);
});

Deno.test("after a restart, the second copy follows, and learned symbols stay", async () => {
  await using store = await TestStore.open();
  addProse(store, 600);
  runSteps(new SymbolLearning(store.db, OPTIONS), true);
  const { table } = readSymbols(store.db)!;
  const restarted = new SymbolLearning(store.db, OPTIONS);
  assertEquals([restarted.isDue(true), restarted.step(true)], [false, false]);
  addProse(store, 100);
  runSteps(restarted, true);
  assertEquals([readSymbols(store.db)?.table, readSymbols(store.db)?.incomplete], [table, []]);
  const again = new SymbolLearning(store.db, OPTIONS);
  addProse(store, 300);
  assertEquals([again.isDue(true), again.isDue(false)], [false, false]);
});

Deno.test("nothing is learned from texts that have nothing in common, until there are twice as many", async () => {
  await using store = await TestStore.open();
  const learning = new SymbolLearning(store.db, OPTIONS);
  const chunks = Array.from({ length: 600 }, (_, n) => draft(prose(seededRandom(n), 30)));
  store.addFile("one document", {}, { chunks });
  assert(runSteps(learning, true) > 0);
  assertEquals([readSymbols(store.db), learning.isDue(true)], [undefined, false]);
  addProse(store, 500);
  assertEquals(learning.isDue(true), false);
  addProse(store, 100);
  assertEquals(learning.isDue(true), true);
  runSteps(learning, true);
  assertEquals(readSymbols(store.db)?.isComplete, true);
});

Deno.test("a step that fails is not repeated until there are twice as many chunks", async () => {
  await using store = await TestStore.open();
  const learning = new SymbolLearning(store.db, OPTIONS);
  addProse(store, 600);
  // As if the disk was full.
  store.db.exec(`PRAGMA max_page_count = ${store.db.prepare("PRAGMA page_count").get()?.["page_count"]}`);
  runSteps(learning, true);
  assertEquals([store.count("text_symbols"), store.db.isTransaction, learning.isDue(true)], [
    0,
    false,
    false,
  ]);
  store.db.exec("PRAGMA max_page_count = 1000000");
  addProse(store, 600);
  runSteps(learning, true);
  assertEquals([learning.isDue(true), store.count("text_symbols") > 0], [false, true]);
  store.check();
});

Deno.test("a second copy that cannot be written is tried again later, and nothing is packed before", async () => {
  await using store = await TestStore.open();
  const learning = new SymbolLearning(store.db, OPTIONS);
  addProse(store, 600);
  runSteps(learning, true);
  addProse(store, 100);
  store.db.exec(`
    CREATE TRIGGER full BEFORE INSERT ON text_symbols_copy WHEN new.id = 3
      BEGIN SELECT raise(ABORT, 'database or disk is full'); END`);
  assertEquals([learning.step(true), learning.isDue(true)], [false, false]);
  store.db.exec("DROP TRIGGER full");
  addProse(store, 700);
  assertEquals([packedCount(store.db), learning.isDue(true)], [0, true]);
  learning.step(true);
  addProse(store, 20);
  assertEquals(packedCount(store.db), 20);
});

Deno.test("no other symbols are learned when those of packed texts are lost", async () => {
  await using store = await TestStore.open();
  const learning = new SymbolLearning(store.db, OPTIONS);
  addProse(store, 600);
  store.db.exec("UPDATE chunks SET text = zeroblob(99) WHERE id = 77");
  assertEquals([runSteps(learning, true), learning.isDue(true), readSymbols(store.db)], [
    0,
    false,
    undefined,
  ]);
});

Deno.test("damaged symbols are neither copied nor learned again", async () => {
  for (
    const damage of [
      "UPDATE text_symbols SET checksum = 1",
      "UPDATE text_symbols SET checksum = 1 WHERE id = 2",
    ]
  ) {
    await using store = await TestStore.open();
    writeSymbols(store.db, SYMBOL_TABLES[0], proseSymbols(), 1);
    store.db.exec(damage);
    addProse(store, 900);
    const learning = new SymbolLearning(store.db, OPTIONS);
    assertEquals([learning.isDue(true), runSteps(learning, true)], [false, 0]);
    assertEquals(store.count("text_symbols_copy"), 0);
  }
});

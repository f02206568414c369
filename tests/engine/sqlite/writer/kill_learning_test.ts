import { assert, assertEquals } from "@std/assert";
import { checkData } from "../../../../src/engine/sqlite/recovery/mod.ts";
import { createDataDir } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { readSymbols } from "../../../../src/engine/sqlite/store/mod.ts";
import { SymbolLearning } from "../../../../src/engine/sqlite/writer/symbol_learning.ts";
import { seededRandom } from "../../../support/random.ts";
import { prose } from "../text_packing/prose.ts";
import { packedCount } from "../store/packed_store.ts";
import { TestStore } from "../store/test_store.ts";
import { linesUntilKilled } from "./killed_child.ts";

/** Adds files and learns, until it is killed. Prints a line for each file that is stored and for each step. */
const CHILD = `
  const writer = WRITER;
  const load = (path) => import(new URL("../../../../" + path, writer));
  const { loadLanguages } = await load("src/analysis/mod.ts");
  await loadLanguages();
  const { dataDirAt } = await load("src/engine/sqlite/store/data_dir.ts");
  const { draft, TestStore } = await load("tests/engine/sqlite/store/test_store.ts");
  const { prose } = await load("tests/engine/sqlite/text_packing/prose.ts");
  const { seededRandom } = await load("tests/support/random.ts");
  const { SymbolLearning } = await load("src/engine/sqlite/writer/symbol_learning.ts");
  const store = TestStore.over(dataDirAt(DIR));
  const learning = new SymbolLearning(store.db, { idleChunks: 600, busyChunks: 600, chunksBetweenCopies: 60 });
  const print = (line) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\\n"));
  for (let n = 0;; n++) {
    const random = seededRandom(n);
    store.addFile("file " + n, {}, { chunks: Array.from({ length: 20 }, () => draft(prose(random, 40))) });
    print("file");
    while (learning.step(false)) print("step");
  }
`;

Deno.test("after kill -9 while symbols are learned, every text can be read, and learning continues", async () => {
  const states = new Set<string>();
  // Before the first step, within the rounds, between the copies, and while texts are packed.
  for (const lines of [29, 60, 150, 190, 230]) {
    const dir = await createDataDir(await Deno.makeTempDir());
    const printed = await linesUntilKilled({ code: CHILD, dataDir: dir.path, lines });
    const files = printed.filter((line) => line === "file").length;
    assert(printed.length >= lines);
    assertEquals(checkData(dir.path).parts.filter(({ state }) => state === "damaged"), [], `${lines}`);
    await using store = TestStore.over(dir);
    for (let n = 0; n < files; n++) {
      const random = seededRandom(n);
      const texts = Array.from({ length: 20 }, () => prose(random, 40));
      assertEquals(store.document(n + 1).chunks?.map(({ text }) => text), texts);
    }
    const before = readSymbols(store.db);
    states.add(`${before ? before.incomplete.length : "none"}${packedCount(store.db) > 0 ? ", packed" : ""}`);
    const learning = new SymbolLearning(store.db, { idleChunks: 1, busyChunks: 1, chunksBetweenCopies: 0 });
    while (learning.step(true));
    learning.step(true);
    assertEquals(store.count("chunks") < 512 ? undefined : readSymbols(store.db)?.incomplete, []);
    if (before) assertEquals(readSymbols(store.db)?.table, before.table);
    store.check();
  }
  assert(states.has("none") && states.has("0, packed"), [...states].join("; "));
});

import { assert, assertEquals, assertRejects } from "@std/assert";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import { findSimilarNotes } from "../../../../src/engine/sqlite/search/similar_notes.ts";
import { PostingsReader, ScoreAccumulator } from "../../../../src/engine/sqlite/index/mod.ts";
import { openForReading } from "../../../../src/engine/sqlite/store/mod.ts";
import { seededRandom } from "../../../support/random.ts";
import { prose } from "../text_packing/prose.ts";
import { packedCount, startPacking } from "../store/packed_store.ts";
import { draft, TestStore } from "../store/test_store.ts";

/** Returns a store of files of three chunks each, and of notes. */
async function storeOf(isPacked: boolean): Promise<TestStore> {
  const store = await TestStore.open();
  if (isPacked) startPacking(store.db);
  const random = seededRandom(1);
  for (let n = 0; n < 60; n++) {
    const headingPath = n % 3 === 0 ? ["Chapter", prose(random, 2)] : [];
    const chunks = Array.from(
      { length: 3 },
      () => ({ ...draft(`${prose(random, 60)} getUser${n}`), headingPath }),
    );
    store.addFile(`file ${n}`, { title: prose(random, 3) }, { chunks });
    store.addNote(prose(random, 40), { tags: ["collection:memory"] });
  }
  return store;
}

function* queries(count: number): Generator<string> {
  const random = seededRandom(2);
  for (let n = 0; n < count; n++) {
    const words = prose(random, 4).replaceAll(".", "").split(" ");
    const [first = "", second = "", third = ""] = words;
    const kinds = [
      words.join(" "),
      `"${first} ${second}" ${third}`,
      `"${prose(random, 2)}"`,
      `${first.slice(0, 3)}* ${second}`,
      `${first.split("").reverse().join("")} ${second}`,
      `getUser${n % 60}`,
    ];
    yield kinds[n % kinds.length] ?? "";
  }
}

Deno.test("searches find the same in packed texts as in others", async () => {
  await using plain = await storeOf(false);
  await using packed = await storeOf(true);
  assert(packedCount(packed.db) > 200);
  assertEquals(packedCount(plain.db), 0);
  const connections = [plain, packed].map(({ dir }) => openForReading(dir));
  const searchers = connections.map((db) => new Searcher({ db }));
  let results = 0;
  for (const query of queries(400)) {
    const request = { query, top: 10, neighbors: results % 2 };
    const [expected, found] = await Promise.all(searchers.map((searcher) => searcher.search(request)));
    assertEquals(found, expected, query);
    results += found!.results.length;
  }
  assert(results > 2000, `${results}`);
  for (const db of connections) db.close();
});

Deno.test("similar notes are found in packed texts", async () => {
  const found = [];
  for (const isPacked of [false, true]) {
    await using store = await storeOf(isPacked);
    const db = openForReading(store.dir);
    const random = seededRandom(3);
    const text = store.document(2).chunks![0]!.text.split(" ").slice(5).join(" ") + prose(random, 3);
    const reader = new PostingsReader(db);
    const scores = new ScoreAccumulator(reader.memory);
    const options = { db, reader, scores, vectors: undefined, signal: undefined };
    found.push(await findSimilarNotes({ text, collection: "memory" }, options));
    db.close();
  }
  assertEquals(found[0]?.length, 1);
  assertEquals(found[1], found[0]);
});

Deno.test("a search that needs a text which cannot be read fails, and others do not", async () => {
  await using store = await storeOf(true);
  store.db.exec("UPDATE chunks SET text = zeroblob(200) WHERE document_id = 1");
  const db = openForReading(store.dir);
  const searcher = new Searcher({ db });
  await assertRejects(() => searcher.search({ query: "getUser0" }), Error, "run kb-mcp check");
  const { results } = await searcher.search({ query: "getUser59" });
  assertEquals(results[0]?.text.includes("getUser59"), true);
  db.close();
});

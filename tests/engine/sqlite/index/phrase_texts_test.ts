import { assertEquals, assertThrows } from "@std/assert";
import { chunksWithPhrase } from "../../../../src/engine/sqlite/index/phrase_texts.ts";
import { TestStore } from "../store/test_store.ts";

Deno.test("a damaged heading is an error of the texts of a phrase, and does not hang the thread", async () => {
  await using store = await TestStore.open();
  store.addNote("# Ferns\n\nwater the green ferns");
  store.addNote("# Palms\n\nwater the palms");
  assertEquals(chunksWithPhrase(store.db, ["water", "the"], [1, 2]), [[1, 1], [2, 1]]);
  store.db.exec("UPDATE chunks SET heading_path = 'damaged' WHERE id = 1");
  assertThrows(() => chunksWithPhrase(store.db, ["water", "the"], [1, 2]), SyntaxError);
  assertEquals(chunksWithPhrase(store.db, ["water", "the"], [2]), [[2, 1]]);
});

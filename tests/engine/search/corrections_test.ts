import { assertEquals } from "@std/assert";
import { spellingOf } from "../../../src/engine/search/corrections.ts";

Deno.test("a corrected term is reported as the texts spell it", () => {
  assertEquals(spellingOf("retriev", ["no such", "Retrieval, and retrieving"]), "retrieval");
  assertEquals(spellingOf("creme", ["Crème brûlée"]), "creme");
  assertEquals(spellingOf("retriev", ["nothing"]), "retriev");
  assertEquals(spellingOf("retriev", []), "retriev");
});

import { assert, assertEquals, assertThrows } from "@std/assert";
import { EncodedJson } from "../../src/data_structures/mod.ts";

Deno.test("EncodedJson: the value is parsed once, and frozen if it is shared", () => {
  for (const isShared of [false, true]) {
    const json = new EncodedJson<{ tags: string[] }>('{"tags":["a"]}', { isShared });
    assertEquals(json.value, { tags: ["a"] });
    assert(json.value === json.value);
    if (isShared) assertThrows(() => json.value.tags.push("b"), TypeError);
    else assertEquals(json.value.tags.push("b"), 2);
  }
});

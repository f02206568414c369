import { assertEquals } from "@std/assert";
import { EncodedJson } from "../../src/data_structures/mod.ts";

Deno.test("EncodedJson: each reader gets a value of its own", () => {
  const json = new EncodedJson<{ tags: string[] }>(new TextEncoder().encode('{"tags":["…"]}'));
  json.value.tags.push("b");
  assertEquals(json.value, { tags: ["…"] });
});

import { assertEquals } from "@std/assert";
import { OtherTypes } from "../../src/folder/mod.ts";

Deno.test("files of other types are counted by extension, the most frequent first, and rare ones as one type", () => {
  const types = new OtherTypes();
  for (const name of ["b.ZIP", "a.py", "lib.min.py", "Makefile"]) types.count(name);
  assertEquals(Object.entries(types.byType()), [[".py", 2], [".zip", 1], ["no extension", 1]]);
  for (let n = 0; n < 200; n++) types.count(`file.x${n}`);
  types.count("last.py");
  const counts = types.byType();
  assertEquals([Object.keys(counts).length, counts[".py"], counts["other extensions"]], [101, 3, 103]);
});

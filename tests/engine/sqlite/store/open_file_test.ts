import { assertEquals, assertThrows } from "@std/assert";
import { OpenFile } from "../../../../src/engine/sqlite/store/mod.ts";

Deno.test("an open file is in place until it is removed or another one has its path", async () => {
  const folder = await Deno.makeTempDir();
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => Deno.remove(folder, { recursive: true }));
  const path = `${folder}/kb.db`;
  await Deno.writeTextFile(path, "one");
  const file = new OpenFile(path);

  await Deno.writeTextFile(path, "other content, same file");
  file.assertInPlace();
  await Deno.rename(path, `${path}.moved`);
  assertThrows(() => file.assertInPlace(), Error, "The engine's data is damaged");
  await Deno.writeTextFile(path, "another file");
  if (Deno.build.os !== "windows") assertThrows(() => file.assertInPlace(), Error);
  await Deno.rename(`${path}.moved`, path);
  file.assertInPlace();
});

Deno.test("a file that does not exist yet is not watched", () => {
  const file = new OpenFile("/nonexistent/kb.db");
  assertEquals(file.identity, undefined);
  file.assertInPlace();
});

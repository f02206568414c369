import { assert, assertEquals } from "@std/assert";
import { FileNames } from "../../../src/transfer/export/file_names.ts";

/** Returns the path of a document in a new export. */
function pathOf(sourcePath: string | null, title: string | null = null, collection = "c"): string {
  return new FileNames().next({ collection, sourcePath, title });
}

Deno.test("file names are safe on every system", () => {
  assertEquals(pathOf("../../etc/passwd"), "c/_/_/etc/passwd.md");
  assertEquals(pathOf("/abs/./x.MD"), "c/abs/_/x.md");
  assertEquals(pathOf("a\\..\\b"), "c/a-..-b.md");
  assertEquals(pathOf("CON"), "c/_CON.md");
  assertEquals(pathOf("nul.tar.md"), "c/_nul.tar.md");
  assertEquals(pathOf(null, "Lpt1"), "c/_Lpt1.md");
  assertEquals(pathOf("folder.md/file"), "c/folder.md_/file.md");
  assertEquals(pathOf(".obsidian/x. "), "c/_obsidian/x.md");
  assertEquals(pathOf(null, "a\u0000b\u202ec"), "c/a-b-c.md");
  assertEquals(pathOf(null, null), "c/_.md");
  assertEquals(pathOf(null, "T", "kb-export.jsonl"), "kb-export.jsonl_/T.md");
  assertEquals(pathOf(null, "T", ".."), "_/T.md");
  assertEquals(pathOf("e\u0301.md"), "c/\u00e9.md");
});

Deno.test("file names are short and unique, regardless of case", () => {
  const names = new FileNames();
  const paths = ["Setup.md", "setup", "SETUP-2", `${"深".repeat(300)}`, `${"a/".repeat(100)}b`].flatMap((
    path,
  ) => [
    names.next({ collection: "docs", sourcePath: path, title: null }),
    names.next({ collection: "docs", sourcePath: path, title: null }),
  ]);
  assertEquals(new Set(paths.map((path) => path.toLowerCase())).size, paths.length);
  assertEquals(paths.slice(0, 3), ["docs/Setup.md", "docs/Setup-2.md", "docs/setup-3.md"]);
  assert(paths.every((path) => path.length <= 200));
});

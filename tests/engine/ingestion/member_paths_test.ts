import { assertEquals } from "@std/assert";
import { MemberPaths } from "../../../src/engine/ingestion/member_paths.ts";

Deno.test("MemberPaths: paths stay inside of their archive", () => {
  const paths: Record<string, string> = {
    "a/b.txt": "a/b.txt",
    "/etc/passwd": "etc/passwd",
    "../../x.txt": "x.txt",
    "a/../../y.txt": "a/y.txt",
    "C:\\Windows\\win.ini": "Windows/win.ini",
    "\\\\server\\share\\z.txt": "server/share/z.txt",
    "./a//c.txt": "a/c.txt",
    "line\nbreak\u202etxt.exe": "linebreaktxt.exe",
    "hid\u{e0061}\u{e0062}\u00adden\u061c.txt": "hidden.txt",
    "  ": "file",
    "..": "file (2)",
    "a/b (2).txt": "a/b (2).txt",
  };
  const members = new MemberPaths();
  assertEquals(Object.keys(paths).map((path) => members.add(path)), Object.values(paths));
});

Deno.test("MemberPaths: equal paths get numbers, before the extension", () => {
  const members = new MemberPaths();
  const added = ["a.txt", "a.txt", "b/../a.txt", "./a.txt", "x/a", "x/a"].map((path) => members.add(path));
  assertEquals(added, ["a.txt", "a (2).txt", "b/a.txt", "a (3).txt", "x/a", "x/a (2)"]);
});

Deno.test("MemberPaths: thousands of equal paths take linear time", () => {
  const members = new MemberPaths();
  // Quadratic time would be minutes.
  for (let i = 0; i < 100_000; i++) members.add("a.txt");
  assertEquals(members.add("a.txt"), "a (100001).txt");
});

Deno.test("MemberPaths: long names keep their extension, and deep paths their ends", () => {
  const members = new MemberPaths();
  const name = members.add(`${"n".repeat(1000)}.docx`);
  assertEquals([name.length, name.slice(-6)], [200, "….docx"]);
  assertEquals(members.add(`${"d/".repeat(5000)}a.txt`), `${"d/".repeat(31)}a.txt`);
});

import { assertEquals, assertRejects } from "@std/assert";
import { type FolderProblem, walkFolder, type WalkOptions } from "../../src/folder/mod.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

async function paths(root: string, options: WalkOptions = {}): Promise<string[]> {
  return (await Array.fromAsync(walkFolder(root, options))).map(({ path }) => path);
}

async function problems(root: string, options: WalkOptions = {}): Promise<[string, string, boolean][]> {
  const found: FolderProblem[] = [];
  await paths(root, { ...options, onProblem: (problem) => found.push(problem) });
  return found.map(({ path, code, isFolder }) => [path, code, isFolder]);
}

Deno.test("a walk lists files depth first, sorted, with sizes and times, and skips hidden names", async () => {
  await using folder = await temporaryFolder({
    "b.md": "two",
    "a/z.md": "z",
    "a/b/c.md": "c",
    "a.md": "one",
    ".git/config": "x",
    ".obsidian/app.json": "{}",
    ".hidden.md": "x",
    "a/~$report.docx": "Word has report.docx open",
  });
  const files = await Array.fromAsync(walkFolder(folder.path));
  assertEquals(files.map(({ path }) => path), ["a/b/c.md", "a/z.md", "a.md", "b.md"]);
  const { mtime, size } = await Deno.stat(`${folder.path}/b.md`);
  assertEquals([files[3]?.size, files[3]?.mtime], [size, mtime?.getTime()]);
  assertEquals((await paths(folder.path, { hidden: true })).length, 8);
});

Deno.test("nested .gitignore files exclude by git's rules, and .kbignore takes precedence", async () => {
  await using folder = await temporaryFolder({
    ".gitignore": "*.log\n/build/\n!keep.log\n",
    ".kbignore": "!build/\nprivate/\nbuild/temp/\n",
    "a.log": "",
    "keep.log": "",
    "build/site.md": "",
    "build/temp/x.md": "",
    "docs/build/page.md": "",
    "docs/.gitignore": "draft*.md\n",
    "docs/draft1.md": "",
    "docs/deep/draft2.md": "",
    "docs/deep/.gitignore": "!draft2.md\n",
    "draft3.md": "",
    "private/secret.md": "",
  });
  assertEquals(await paths(folder.path), [
    "build/site.md",
    "docs/build/page.md",
    "docs/deep/draft2.md",
    "draft3.md",
    "keep.log",
  ]);
  assertEquals((await paths(folder.path, { ignoreFiles: false })).length, 9);
});

Deno.test("nothing is listed in a folder whose .kbignore cannot be read", async () => {
  await using folder = await temporaryFolder({
    "a.md": "",
    "b/.kbignore": `private/\n#${"x".repeat(262_144)}`,
    "b/c.md": "",
    "b/private/d.md": "",
  });
  assertEquals(await paths(folder.path), ["a.md"]);
  assertEquals(await problems(folder.path), [["b", "unreadable", true]]);
  assertEquals(await paths(folder.path, { ignoreFiles: false }), ["a.md", "b/c.md", "b/private/d.md"]);
});

Deno.test("include and exclude use the same patterns; an included extension needs no supported type", async () => {
  await using folder = await temporaryFolder({
    "docs/a.md": "",
    "docs/a.log": "",
    "docs/a.png": "",
    "other/b.md": "",
    "docs/old/c.md": "",
  });
  const accepts = (name: string) => name.endsWith(".md");
  assertEquals(await paths(folder.path, { accepts, include: ["docs/**"] }), ["docs/a.md", "docs/old/c.md"]);
  assertEquals(await paths(folder.path, { accepts, include: ["*.md", "*.log"], exclude: ["old/"] }), [
    "docs/a.log",
    "docs/a.md",
    "other/b.md",
  ]);
  for (const all of ["*", "**", "**/*"]) {
    assertEquals(await paths(folder.path, { accepts, include: [all], exclude: ["*.png", "old/"] }), [
      "docs/a.log",
      "docs/a.md",
      "other/b.md",
    ]);
  }
});

Deno.test("accepts decides only about files that the patterns leave open", async () => {
  await using folder = await temporaryFolder({
    "a.md": "",
    "a.log": "",
    "docs/b.png": "",
    "other/c.png": "",
  });
  const asked: string[] = [];
  const accepts = (name: string) => asked.push(name) > 0;
  await paths(folder.path, { accepts, include: ["*.log", "docs/"] });
  assertEquals(asked, ["b.png"]);
});

Deno.test("links are followed inside the root only, folders once, and never in a cycle", async () => {
  await using outside = await temporaryFolder({ "secret.md": "secret" });
  await using folder = await temporaryFolder({ "a/one.md": "1", "b/two.md": "2" });
  const link = (target: string, path: string) => Deno.symlink(target, `${folder.path}/${path}`);
  await link("../b", "a/linked");
  await link("../b", "a/linked_again");
  await link("..", "b/up");
  await link("one.md", "a/same.md");
  await link(`${outside.path}/secret.md`, "a/out.md");
  await link(outside.path, "b/out");
  await link("nowhere.md", "a/broken.md");
  await link("nowhere", "a/broken");
  await link("cycle", "a/cycle");
  await link("one.md/x", "a/below_a_file");
  await link("x".repeat(300), "a/unknown");
  await link(`${outside.path}/secret.md`, "a/out.png");
  const accepts = (name: string) => name.endsWith(".md");
  assertEquals(await paths(folder.path, { accepts }), [
    "a/linked/two.md",
    "a/one.md",
    "a/same.md",
    "b/two.md",
  ]);
  assertEquals((await problems(folder.path, { accepts })).filter(([path]) => !path.startsWith("a/linked")), [
    ["a/broken.md", "broken_link", false],
    ["a/out.md", "outside_source", false],
    ["a/unknown", "unreadable", true],
    ["b/out", "outside_source", false],
  ]);
});

Deno.test("special files, invalid names and long paths are reported", async () => {
  await using folder = await temporaryFolder({ "ok.md": "", "con.md": "", "tab\there.md": "" });
  for (const name of ["pipe.md", "pipe.png"]) {
    await new Deno.Command("mkfifo", { args: [`${folder.path}/${name}`] }).output();
  }
  await new Deno.Command("sh", { args: ["-c", `touch "$(printf 'bad\\377.md')"`], cwd: folder.path })
    .output();
  const long = Array.from({ length: 8 }, () => "x".repeat(200)).join("/");
  await Deno.mkdir(`${folder.path}/${long}`, { recursive: true });
  await Deno.writeTextFile(`${folder.path}/${long}/a.md`, "");
  const accepts = (name: string) => name.endsWith(".md");
  assertEquals(await paths(folder.path, { accepts }), ["con.md", "ok.md"]);
  assertEquals((await problems(folder.path, { accepts })).map(([path, code]) => [path.slice(0, 12), code]), [
    ["bad\uFFFD.md", "invalid_name"],
    ["pipe.md", "not_a_file"],
    ["tab\there.md", "invalid_name"],
    ["xxxxxxxxxxxx", "invalid_name"],
  ]);
});

Deno.test("limits of entries and depth end the walk with a problem about the folder", async () => {
  await using folder = await temporaryFolder({ "a/b/c/d.md": "", "e.md": "" });
  assertEquals(await paths(folder.path, { maxDepth: 2 }), ["e.md"]);
  assertEquals(await problems(folder.path, { maxDepth: 2 }), [["a/b/c", "too_many_files", true]]);
  assertEquals(await problems(folder.path, { maxEntries: 3 }), [["", "too_many_files", true]]);
});

Deno.test("a root that is missing or no folder is an error of the caller", async () => {
  await using folder = await temporaryFolder({ "a.md": "" });
  await assertRejects(() => paths(`${folder.path}/missing`), Deno.errors.NotFound);
  await assertRejects(() => paths(`${folder.path}/a.md`), Deno.errors.NotADirectory);
  const controller = new AbortController();
  controller.abort(new Error("stopped"));
  await assertRejects(() => paths(folder.path, { signal: controller.signal }), Error, "stopped");
});

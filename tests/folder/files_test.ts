import { assert, assertEquals, assertRejects } from "@std/assert";
import { createInside, FolderError, hashFile, isInside, openInside } from "../../src/folder/mod.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

async function codeOf(action: () => Promise<unknown>): Promise<string> {
  return (await assertRejects(action, FolderError)).code;
}

Deno.test("hashFile streams the SHA-256 of a file", async () => {
  await using folder = await temporaryFolder({ "a/abc.md": "abc", "big.txt": new Uint8Array(200_000) });
  assertEquals(
    await hashFile(folder.path, "a/abc.md"),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  assertEquals((await hashFile(folder.path, "big.txt")).length, 64);
});

Deno.test("openInside refuses links that leave the folder, special files and missing ones", async () => {
  await using outside = await temporaryFolder({ "secret.md": "secret" });
  await using folder = await temporaryFolder({ "a.md": "text", "sub/b.md": "b" });
  await Deno.symlink(outside.path, `${folder.path}/out`);
  await Deno.symlink("../a.md", `${folder.path}/sub/in.md`);
  await new Deno.Command("mkfifo", { args: [`${folder.path}/pipe.md`] }).output();
  {
    await using file = await openInside(folder.path, "sub/in.md");
    const chunks = await Array.fromAsync(file.chunks(), (chunk) => new TextDecoder().decode(chunk));
    assertEquals([chunks, file.size], [["text"], 4]);
  }
  assertEquals(await codeOf(() => openInside(folder.path, "out/secret.md")), "outside_source");
  assertEquals(await codeOf(() => openInside(folder.path, "../etc/passwd")), "not_found");
  assertEquals(await codeOf(() => openInside(folder.path, "..")), "outside_source");
  assertEquals(await codeOf(() => openInside(folder.path, "pipe.md")), "not_a_file");
  assertEquals(await codeOf(() => openInside(folder.path, "sub")), "not_a_file");
  assertEquals(await codeOf(() => openInside(folder.path, "none.md")), "not_found");
});

Deno.test("createInside creates a file once, with its folders, and never outside", async () => {
  await using outside = await temporaryFolder();
  await using folder = await temporaryFolder();
  const bytes = new TextEncoder().encode("# New");
  assertEquals(await createInside(folder.path, "notes/deep/new.md", bytes), true);
  assertEquals(await createInside(folder.path, "notes/deep/new.md", new Uint8Array(9)), false);
  assertEquals(await Deno.readTextFile(`${folder.path}/notes/deep/new.md`), "# New");
  const names = await Array.fromAsync(Deno.readDir(`${folder.path}/notes/deep`), ({ name }) => name);
  assertEquals(names, ["new.md"]);
  await Deno.symlink(outside.path, `${folder.path}/out`);
  assertEquals(await codeOf(() => createInside(folder.path, "out/new.md", bytes)), "outside_source");
  assertEquals(await codeOf(() => createInside(folder.path, "out/sub/new.md", bytes)), "outside_source");
  assertEquals(await Array.fromAsync(Deno.readDir(outside.path)), []);
});

Deno.test("isInside compares whole path segments", () => {
  assert(
    isInside("/a/b", "/a/b/c") && isInside("/a/b", "/a/b") && isInside("/", "/x") && isInside("/a", "/a/..b"),
  );
  assert(!isInside("/a/b", "/a/bc") && !isInside("/a/b", "/a") && !isInside("/a/b", "/"));
});

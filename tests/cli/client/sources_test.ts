import { assertEquals, assertMatch, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { addSource, listSources, removeSource, syncSource } from "../../../src/cli/client/sources.ts";
import { ExitError } from "../../../src/cli/exit_status.ts";
import { configuredSources } from "../../../src/cli/configured_sources.ts";
import { ConfigError, loadConfig } from "../../../src/config/mod.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { ClientFixture } from "./client_fixture.ts";

Deno.test("commands of sources", async (t) => {
  await using kb = await ClientFixture.open();
  await using folder = await temporaryFolder({ "a.md": "# A\n", "b.md": "", "c/d.md": "# D\n" });
  /** Runs a command on a terminal. Returns its text and exit status. */
  async function run(command: (context: Parameters<typeof listSources>[0]) => Promise<number | void>) {
    let status: number | void = 0;
    const { text, error } = await kb.terminal(async (context) => status = await command(context));
    return { text, error, status };
  }

  await t.step("add waits for the synchronization, and reports files that failed", async () => {
    const added = await run((context) =>
      addSource(folder.path, { name: "docs", section: ["c=Letters"], tags: ["x"] }, context)
    );
    assertEquals(added.status, 2);
    assertMatch(added.text, /^docs: 2 created, 1 failed; 2 documents\n {2}b\.md: .*empty.* \(no_text\)\n$/);
  });

  await t.step("add warns about a folder that is in another source, or contains it", async () => {
    await using outer = await temporaryFolder({ "in/a.md": "# A\n", "inner.md": "# B\n" });
    const add = (path: string, name: string) => run((context) => addSource(path, { name }, context));
    assertEquals((await add(`${outer.path}/in`, "in")).error, "");
    await using sibling = await temporaryFolder();
    assertEquals((await add(sibling.path, "sibling")).error, "");
    assertMatch((await add(outer.path, "out")).error, /overlaps with that of in: .* two documents/);
    await run((context) => removeSource("in", {}, context));
    assertMatch((await add(`${outer.path}/in`, "in")).error, /overlaps with that of out: /);
    await using links = await temporaryFolder();
    await Deno.symlink(`${outer.path}/in`, `${links.path}/link`);
    assertMatch((await add(`${links.path}/link`, "link")).error, /overlaps with that of /);
    for (const name of ["in", "out", "sibling", "link"]) {
      await run((context) => removeSource(name, {}, context));
    }
  });

  await t.step("add says which files are left out because of their types", async () => {
    await using code = await temporaryFolder({
      "a.md": "# A\n",
      "b.py": "x = 1\n",
      "lib/c.py": "y\n",
      "d.zip": "",
    });
    const add = async (options: Record<string, unknown>) =>
      (await run((context) => addSource(code.path, { name: "code", ...options }, context))).text;
    assertEquals(
      await add({}),
      "code: 1 created; 1 document\n" +
        "Left out 3 files of other types (.py 2, .zip 1): --include '*' takes files of all types.\n",
    );
    assertStringIncludes(await add({ exclude: ["lib/", "*.zip"] }), "Left out 1 file of other types (.py 1)");
    assertEquals((await add({ include: ["*.md", "*.py"] })).includes("Left out"), false);
    await code.write("e.json", "{}\n");
    const later = await kb.json((context) => syncSource({ name: "code", path: "e.json" }, {}, context));
    assertEquals(later.last_sync.other_types, undefined);
    await add({ include: [] });
    await run((context) => syncSource({ name: "code", path: "lib" }, {}, context));
    const { sources } = await kb.json(listSources);
    assertEquals(
      sources.find(({ name }: { name: string }) => name === "code").last_sync.other_types,
      { ".py": 2, ".json": 1, ".zip": 1 },
    );
    await run((context) => removeSource("code", {}, context));
  });

  await t.step("list shows the sources and the files that failed", async () => {
    const { text } = await run(listSources);
    assertMatch(text, /^NAME +LOCATION +DOCUMENTS +FAILED +STATE +SYNCED\ndocs .* 2 +1 +idle /);
    assertStringIncludes(text, "\n  b.md: ");
    const { sources } = await kb.json(listSources);
    assertEquals([sources[0].name, sources[0].sections[1].description], ["docs", "Letters"]);
  });

  await t.step("sync prints what has changed", async () => {
    await folder.write("b.md", "# B\n");
    await folder.write("c/d.md", "# D2\n");
    const one = await run((context) => syncSource({ name: "docs", path: "c/d.md" }, {}, context));
    assertEquals([one.status, one.text.split("\n")[0]], [2, "docs: 1 updated, 1 failed; 2 documents"]);
    const all = await run((context) => syncSource({ name: "docs", path: undefined }, {}, context));
    assertEquals([all.status, all.text], [0, "docs: 1 created, 2 unchanged; 3 documents\n"]);
  });

  await t.step("sync without a name synchronizes all sources, with the status of the worst", async () => {
    const sync = (context: Parameters<typeof listSources>[0]) =>
      syncSource({ name: undefined, path: undefined }, {}, context);
    await using other = await temporaryFolder({ "e.md": "", "f.md": "# F\n" });
    assertEquals((await run((context) => addSource(other.path, { name: "other" }, context))).status, 2);
    const { status, text } = await run(sync);
    assertEquals(status, 2);
    assertMatch(text, /^docs: 3 unchanged; 3 documents\nother: 1 unchanged, 1 failed; 1 document\n/);
    const { sources } = await kb.json(sync);
    assertEquals(sources.map(({ name }: { name: string }) => name), ["docs", "other"]);
    await run((context) => removeSource("other", {}, context));
  });

  await t.step(
    "a folder that is missing is status 1, an unknown name or a path outside an error",
    async () => {
      await Deno.rename(folder.path, `${folder.path}.away`);
      const missing = await run((context) => syncSource({ name: "docs", path: undefined }, {}, context));
      await Deno.rename(`${folder.path}.away`, folder.path);
      assertEquals(missing.status, 1);
      assertStringIncludes(missing.error, "Nothing was deleted");
      const unknown = run((context) => syncSource({ name: "none", path: undefined }, {}, context));
      await assertRejects(() => unknown, ExitError, 'There is no source "none". Sources: docs.');
      const outside = run((context) => syncSource({ name: "docs", path: "../x" }, {}, context));
      await assertRejects(() => outside, ConfigError, "path must be relative");
      await assertRejects(() => run((context) => addSource("/", {}, context)), ConfigError, "--name must be");
    },
  );

  await t.step("remove says what happened to the documents", async () => {
    const declined = run((context) => removeSource("docs", {}, { ...context, confirm: () => false }));
    await assertRejects(() => declined, ExitError, "Nothing was removed");
    const { text } = await run((context) => removeSource("docs", {}, context));
    assertEquals(text, "Removed the source docs, and moved 3 documents to the trash.\n");
    assertEquals((await run(listSources)).text, "There are no sources: kb-mcp source add DIR\n");
  });

  await t.step("the first source of a running server says when agents get the tools for it", async () => {
    await using other = await temporaryFolder();
    const add = async (path: string, name: string, engineName: string) =>
      (await run((context) => addSource(path, { name }, { ...context, engineName }))).text.includes(
        "connect again",
      );
    assertEquals(await add(other.path, "first", "http://127.0.0.1:1"), true);
    assertEquals(await add(other.path, "first", "http://127.0.0.1:1"), false, "again");
    await using another = await temporaryFolder();
    assertEquals(await add(another.path, "second", "http://127.0.0.1:1"), false);
    for (const name of ["first", "second"]) await run((context) => removeSource(name, {}, context));
    assertEquals(await add(other.path, "first", "/data"), false);
    await run((context) => removeSource("first", {}, context));
  });
});

Deno.test("KB_SOURCES takes precedence over the file, and invalid values are rejected", async () => {
  const load = (value: string) =>
    loadConfig({ env: (name) => name === "KB_SOURCES" ? value : undefined, readFile: () => "" });
  const sources = configuredSources(load("/docs:docs:ro,/n:notes:watch:rw"));
  assertEquals(
    sources.map(({ name, path, writable, watch, collection }) => [name, path, writable, watch, collection]),
    [
      ["docs", "/docs", false, false, "documents"],
      ["notes", "/n", true, true, "documents"],
    ],
  );
  for (const value of ["docs", "relative:docs", "/docs:Docs", "/a:x,/b:x", "/docs:docs:rx"]) {
    assertThrows(() => load(value), ConfigError, "KB_SOURCES must be folders such as");
  }
  const { parseConfigFile } = await import("../../../src/config/mod.ts");
  const file = await parseConfigFile(
    '[[sources]]\nname = "vault"\npath = "v"\nsections = [{ prefix = "a", description = "A" }]',
    "/srv/kb-mcp.toml",
  );
  const config = loadConfig({ env: () => undefined, readFile: () => "", file });
  assertEquals(configuredSources(config).map(({ path, sections }) => [path, sections]), [["/srv/v", {
    a: "A",
  }]]);
});

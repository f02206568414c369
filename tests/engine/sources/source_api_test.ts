import { assertEquals } from "@std/assert";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { type Logger, silentLogger } from "../../../src/telemetry/mod.ts";
import { counts, runSteps, TestSource } from "./support.ts";

Deno.test("the API of sources", async (t) => {
  await using engine = await EmbeddedEngine.open({ localToken: "local-token" });
  await runSteps(t, engine, {
    "a folder can be added from the engine's machine only": async () => {
      await using folder = await temporaryFolder({ "a.md": "# A\n" });
      const body = { name: "local", path: folder.path };
      const remote = await engine.call("addSource", { body, address: "127.0.0.1" });
      assertEquals([remote.status, remote.body.error.code], [403, "forbidden"]);
      assertEquals((await engine.call("listSources")).body.sources, []);
      const headers = { authorization: "Bearer local-token" };
      const local = await engine.call("addSource", { body, address: "127.0.0.1", headers });
      assertEquals(local.status, 200);
      await engine.call("removeSource", { id: local.body.source_id });
    },

    "a path that is no absolute path of a folder is rejected": async () => {
      await using folder = await temporaryFolder({ "a.md": "# A\n" });
      for (const path of ["relative", `${folder.path}/a.md`, `${folder.path}/none`]) {
        const { status, body } = await engine.call("addSource", { body: { name: "invalid", path } });
        assertEquals([status, body.error.code], [400, "invalid"], path);
      }
      const missing = await engine.call("syncSource", { id: 999, body: {} });
      assertEquals([missing.status, missing.body.error.message], [404, "There is no source 999"]);
    },

    "an agent creates files with front matter in a writable source": async () => {
      await using folder = await temporaryFolder({ "a.md": "# A\n", ".kbignore": "hidden/\n" });
      const source = await TestSource.add(engine, folder, { name: "writable", writable: true });
      const file = {
        title: "Tea: a plan!",
        text: "Buy tea.\n",
        folder: "journal",
        tags: ["todo"],
        metadata: { priority: 1, title: "ignored" },
      };
      const today = new Date().toISOString().slice(0, 10);
      const written = await engine.call("writeSourceFile", { id: source.id, body: file });
      assertEquals(written.body.path, `journal/${today}-tea-a-plan.md`);
      assertEquals([written.body.document.title, written.body.document.tags], [
        "Tea: a plan!",
        ["collection:documents", "todo"],
      ]);
      assertEquals(
        await Deno.readTextFile(`${folder.path}/${written.body.path}`),
        `---\ntitle: "Tea: a plan!"\ndate: ${today}\ntags:\n  - todo\npriority: 1\n---\n\nBuy tea.\n`,
      );
      const second = await engine.call("writeSourceFile", { id: source.id, body: file });
      assertEquals(second.body.path, `journal/${today}-tea-a-plan-2.md`);
      assertEquals(counts(await source.sync()), { unchanged: 3 });

      // macOS has folders with decomposed letters.
      await Deno.mkdir(`${folder.path}/journal/Cafe\u0301`);
      const inCafe = { ...file, folder: "journal/Caf\xe9" };
      const third = await engine.call("writeSourceFile", { id: source.id, body: inCafe });
      assertEquals(third.body.path, `journal/Cafe\u0301/${today}-tea-a-plan.md`);
      assertEquals(third.body.document.source_path, `writable/${third.body.path}`);

      await Deno.symlink(await Deno.makeTempDir({ dir: "/tmp" }), `${folder.path}/out`);
      const outside = await engine.call("writeSourceFile", {
        id: source.id,
        body: { ...file, folder: "out" },
      });
      assertEquals([outside.status, outside.body.error.code], [400, "invalid"]);
      for (const folder of [".git/hooks", "journal/.hidden", "journal/~$a"]) {
        const refused = await engine.call("writeSourceFile", { id: source.id, body: { ...file, folder } });
        assertEquals([refused.status, refused.body.error.code], [400, "invalid"], folder);
      }
      const hidden = await engine.call("writeSourceFile", {
        id: source.id,
        body: { ...file, folder: "hidden" },
      });
      assertEquals([hidden.status, hidden.body.error.code], [409, "conflict"]);
      await Deno.remove(await Deno.realPath(`${folder.path}/out`));
    },

    "a new file neither replaces nor restores the document of a former one": async () => {
      await using folder = await temporaryFolder({ "a.md": "# A\n" });
      const source = await TestSource.add(engine, folder, { name: "former", writable: true });
      const write = async (title: string, text: string) => {
        const { body } = await engine.call("writeSourceFile", { id: source.id, body: { title, text } });
        return [body.path.slice(11), body.document.document_id, body.document.version];
      };
      const [path, id] = await write("Plan", "First.");
      await source.edit("a.md", { add_tags: ["mine"] });
      const today = new Date().toISOString().slice(0, 10);
      await Deno.remove(`${folder.path}/${today}-${path}`);
      // Its source has not noticed that the file is gone.
      const [second, secondId, version] = await write("Plan", "Second.");
      assertEquals([second, secondId === id, version], ["plan-2.md", false, 1]);
      assertEquals((await engine.call("getDocument", { id })).body.version, 1);
      // Its document is in the trash.
      await engine.call("deleteDocument", { id });
      assertEquals((await write("Plan", "Third."))[0], "plan-3.md");
      assertEquals((await engine.call("getDocument", { id })).status, 404);
      // A document that someone has restored is independent, and becomes that of a file at its path.
      await source.sync();
      await engine.call("restoreDocument", { id, body: {} });
      assertEquals((await write("Plan", "Fourth."))[0], "plan-4.md");
      assertEquals((await engine.call("getDocument", { id })).body.version, 2);
      await engine.call("deleteDocument", { id });
      const [last, lastId, lastVersion] = await write("Plan", "Fifth.");
      assertEquals([last, lastId === id, lastVersion], ["plan.md", false, 1]);
    },

    "a source that is not writable refuses files": async () => {
      await using folder = await temporaryFolder({ "a.md": "# A\n" });
      const source = await TestSource.add(engine, folder, { name: "readonly" });
      const file = { title: "Note", text: "Text" };
      const { status, body } = await engine.call("writeSourceFile", { id: source.id, body: file });
      assertEquals([status, body.error.code], [403, "forbidden"]);
      assertEquals((await Array.fromAsync(Deno.readDir(folder.path))).length, 1);
    },
  });
});

Deno.test("configured sources are applied at each start, followed, and cannot be removed", async () => {
  await using folder = await temporaryFolder({ "a.md": "# A\n" });
  await using other = await temporaryFolder({ "b.md": "# B\n" });
  const { NewSource } = await import("../../../src/contract/mod.ts");
  const reports = new Map<string, PromiseWithResolvers<void>>();
  const synced = (name: string) => {
    const waiting = reports.get(name) ?? Promise.withResolvers<void>();
    reports.set(name, waiting);
    return waiting;
  };
  const onSync = (name: string) => synced(name).resolve();
  const configured = NewSource.parse({ name: "docs", path: folder.path, tags: ["one"], watch: true });
  await using engine = await EmbeddedEngine.open({ sources: [configured], onSync });
  await synced("docs").promise;
  const [source] = (await engine.call("listSources")).body.sources;
  assertEquals([source.name, source.configured, source.documents, source.state], [
    "docs",
    true,
    1,
    "watching",
  ]);
  const removed = await engine.call("removeSource", { id: source.source_id });
  assertEquals([removed.status, removed.body.error.code], [409, "conflict"]);

  // Changes are followed.
  reports.clear();
  await folder.write("new.md", "# New\n");
  while ((await engine.call("getSource", { id: source.source_id })).body.documents < 2) {
    await synced("docs").promise;
    reports.clear();
  }

  // Another folder under the same name, and new options.
  reports.clear();
  const changed = NewSource.parse({ name: "docs", path: other.path, tags: ["two"] });
  await engine.reopen({ sources: [changed], onSync });
  await synced("docs").promise;
  const documents = await engine.call("queryDocuments", { body: {} });
  assertEquals(
    documents.body.documents.map((
      each: { source_path: string; tags: string[] },
    ) => [each.source_path, each.tags]),
    [
      ["docs/b.md", ["collection:documents", "two"]],
    ],
  );

  // Without its entry it is the user's.
  const warnings: unknown[] = [];
  const log = { ...silentLogger, warn: (event: string, fields: unknown) => warnings.push([event, fields]) };
  await engine.reopen({ sources: [], log });
  await engine.call("syncSource", { id: source.source_id, body: { wait_seconds: 50 } });
  const { body } = await engine.call("getSource", { id: source.source_id });
  assertEquals([body.configured, body.documents], [false, 1]);
  const warning = "a source is no longer configured and stays in sync: remove it with kb-mcp source remove";
  assertEquals(warnings, [[warning, { source: "docs" }]]);
  assertEquals((await engine.call("removeSource", { id: source.source_id })).body.deleted, 1);
});

Deno.test("configured sources whose folders overlap are logged", async () => {
  await using folder = await temporaryFolder({ "a.md": "# A\n", "in/b.md": "# B\n" });
  await using other = await temporaryFolder();
  const { NewSource } = await import("../../../src/contract/mod.ts");
  const warned = Promise.withResolvers<unknown>();
  const log: Logger = {
    ...silentLogger,
    warn: (event, fields) => event.includes("overlap") && warned.resolve(fields),
  };
  const sources = [["all", folder.path], ["other", other.path], ["part", `${folder.path}/in`]]
    .map(([name, path]) => NewSource.parse({ name, path }));
  await using engine = await EmbeddedEngine.open({ sources, log });
  assertEquals(await warned.promise, { source: "all", other: "part" });
  assertEquals((await engine.call("listSources")).body.sources.length, 3);
});

Deno.test("the engine says that a source was added, but not one that it refused", async () => {
  let added = 0;
  await using engine = await EmbeddedEngine.open({ onSourceAdded: () => added++ });
  await using folder = await temporaryFolder({ "a.md": "# A\n" });
  const add = (path: string) => engine.call("addSource", { body: { name: "notes", path } });
  assertEquals((await add(`${folder.path}/none`)).status, 400);
  assertEquals(added, 0);
  assertEquals((await add(folder.path)).status, 200);
  assertEquals(added, 1);
});

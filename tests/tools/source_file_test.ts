import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { kbGet } from "../../src/tools/kb_get.ts";
import { type Harness, openHarness } from "../support/harness.ts";

/** Opens a harness with the files of a folder as the source `docs`. */
async function openFolder(files: Readonly<Record<string, string>>) {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "kb-mcp-folder-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }).catch(() => {}));
  for (const [path, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${path}`, text);
  const kb = stack.use(await openHarness({ placement: "embedded" }));
  const { source_id } = await kb.engine.addSource({ name: "docs", path: folder });
  await kb.engine.syncSource(source_id, { wait_seconds: 30 });
  const open = stack.move();
  return { kb, folder, source_id, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

async function requestsOf(kb: Harness, args: Record<string, unknown>): Promise<string[]> {
  const before = kb.calls.length;
  await kb.call(kbGet, args);
  return kb.paths().slice(before).map((path) => path.replace("/api/v1/", ""));
}

async function textOf(kb: Harness, args: Record<string, unknown>): Promise<string | undefined> {
  const output = await kb.call(kbGet, args);
  const [document = output] = output.documents ?? [];
  return (document["chunks"] as { text: string }[] | undefined)?.[0]?.text;
}

Deno.test("kb_get checks the file of a document with one request, and sends none for other documents", async () => {
  await using opened = await openFolder({ "a.md": "The kettle is red." });
  const { kb } = opened;
  const note = await kb.note({ text: "The pot is blue.", source_path: "docs/pot" });
  assertEquals(await requestsOf(kb, { document_id: note }), [`GET documents/${note}`]);
  assertEquals(await requestsOf(kb, { source_path: "docs/pot" }), ["GET documents", `GET documents/${note}`]);
  const { documents } = await kb.call(kbGet, { source_path: "docs/a.md" });
  const id = documents![0]!["document_id"];
  const sync = `POST sources/${opened.source_id}/sync`;
  assertEquals(await requestsOf(kb, { document_id: id }), [`GET documents/${id}`, sync]);
  assertEquals(await requestsOf(kb, { document_id: id, chunks: false }), [`GET documents/${id}`, sync]);
  // Later pages belong to the text of the first one.
  assertEquals(await requestsOf(kb, { document_id: id, offset: 1 }), [`GET documents/${id}`]);
});

Deno.test("kb_get reads a changed file again, and a new file by its path", async () => {
  await using opened = await openFolder({ "a.md": "The kettle is red." });
  const { kb, folder } = opened;
  assertEquals(await textOf(kb, { source_path: "a.md" }), "The kettle is red.");
  await Deno.writeTextFile(`${folder}/a.md`, "The kettle is green now.");
  assertEquals(await textOf(kb, { source_path: "a.md" }), "The kettle is green now.");
  await Deno.writeTextFile(`${folder}/b.md`, "The cup is new.");
  assertEquals(await textOf(kb, { source_path: "docs/b.md" }), "The cup is new.");
  await Deno.remove(`${folder}/a.md`);
  const { documents } = await kb.call(kbGet, { title: "cup" });
  assertEquals(documents?.length, 0);
  const error = await assertRejects(() => kb.call(kbGet, { document_id: 1 }), EngineError);
  assertStringIncludes(error.message, "it was deleted");
});

Deno.test("kb_get returns the stored text if the file cannot be checked", async () => {
  await using opened = await openFolder({ "a.md": "The kettle is red." });
  const { kb, source_id } = opened;
  await kb.call(kbGet, { document_id: 1 });
  await kb.engine.removeSource(source_id, { keep_documents: true });
  assertEquals(await textOf(kb, { document_id: 1 }), "The kettle is red.");
  assertEquals(await textOf(kb, { document_id: 1 }), "The kettle is red.");
});

Deno.test("kb_get checks files of sources that were added later, or again", async () => {
  await using opened = await openFolder({ "a.md": "The kettle is red." });
  const { kb, folder, source_id } = opened;
  const { documents: [first] } = await kb.engine.documents({ source_path: "docs/a.md" });
  await kb.call(kbGet, { document_id: first!.document_id });
  const add = async (name: string) => {
    const { source_id } = await kb.engine.addSource({ name, path: folder });
    await kb.engine.syncSource(source_id, { wait_seconds: 30 });
    const { documents: [added] } = await kb.engine.documents({ source_path: `${name}/a.md` });
    return added!.document_id;
  };
  const later = await add("later");
  await Deno.writeTextFile(`${folder}/a.md`, "The kettle is blue by now.");
  assertEquals(await textOf(kb, { document_id: later }), "The kettle is blue by now.");
  await kb.engine.removeSource(source_id);
  const again = await add("docs");
  await Deno.writeTextFile(`${folder}/a.md`, "The kettle is yellow at last.");
  assertEquals(await textOf(kb, { document_id: again }), "The kettle is yellow at last.");
});

Deno.test("a path inside several sources returns the documents of all of them", async () => {
  await using opened = await openFolder({ "a.md": "The kettle is red." });
  const { kb, folder } = opened;
  const { source_id } = await kb.engine.addSource({ name: "copy", path: folder });
  await kb.engine.syncSource(source_id, { wait_seconds: 30 });
  const { documents } = await kb.call(kbGet, { source_path: "a.md" });
  assertEquals(documents?.map((document) => document["source_path"]), ["copy/a.md", "docs/a.md"]);
  for (const path of ["../a.md", "docs/../../etc/passwd", "docs//a.md", "docs/"]) {
    assertEquals((await kb.call(kbGet, { source_path: path })).documents, []);
  }
});

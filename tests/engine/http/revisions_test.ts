import { assertEquals } from "@std/assert";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";

Deno.test("POST documents/{id}/restore: undoes a change and a delete, which search and listings show", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "zebra", tags: ["a"] });
  const id = Number(document_id);
  await engine.call("updateNote", { id, body: { text: "quagga" } });
  await engine.call("deleteDocument", { id });
  const search = async (query: string) =>
    (await engine.call("search", { body: { query } })).body.results.length;
  assertEquals(await search("quagga"), 0);
  const { status, body } = await engine.call("restoreDocument", { id, body: {} });
  assertEquals([status, body.document_id, body.version, body.restored_version], [200, id, 3, 2]);
  assertEquals(await search("quagga"), 1);
  const undone = await engine.call("restoreDocument", { id, body: { version: 1 } });
  // Like that of an edit: with the text, the response for a long document would exceed what clients read.
  assertEquals([undone.body.chunks, undone.body.version], [undefined, 4]);
  assertEquals([await search("zebra"), await search("quagga")], [1, 0]);
  assertEquals((await engine.call("listDocuments")).body.total, 1);
});

Deno.test("GET documents/{id}/revisions and GET trash: list what can be restored", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "zebra", title: "Zebra" });
  const id = Number(document_id);
  await engine.call("changeTags", { id, body: { remove: [], add: ["a"] } });
  const { body: live } = await engine.call("listRevisions", { id });
  assertEquals([live.document_id, live.title, live.version, live.total], [id, "Zebra", 2, 1]);
  await engine.call("deleteDocument", { id });
  const { body: deleted } = await engine.call("listRevisions", { id, query: { limit: "1" } });
  assertEquals([deleted.version, deleted.total, deleted.revisions[0].change], [null, 2, "deleted"]);
  const { body: trash } = await engine.call("listTrash");
  assertEquals([trash.total, trash.documents[0].document_id, trash.documents[0].title], [1, id, "Zebra"]);
  assertEquals((await engine.call("status")).body.trash, { documents: 1 });
  assertEquals((await engine.call("getDocument", { id })).status, 404);
  const { body: former } = await engine.call("getDocument", { id, query: { version: "1" } });
  assertEquals([former.version, former.tags, former.chunks[0].text], [1, [], "zebra"]);
});

Deno.test("DELETE documents/{id}?permanent=true: erases a document, also from the trash", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "zebra", title: "Zebra" });
  const id = Number(document_id);
  await engine.call("deleteDocument", { id });
  const { body } = await engine.call("deleteDocument", { id, query: { permanent: "true" } });
  assertEquals(body, { status: "deleted", document_id: id, title: "Zebra" });
  assertEquals((await engine.call("listTrash")).body.total, 0);
  const { status, body: error } = await engine.call("restoreDocument", { id, body: {} });
  assertEquals([status, error.error.code], [404, "not_found"]);
});

Deno.test("POST documents/{id}/restore: names the document that has the path", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "zebra", source_path: "p" });
  const id = Number(document_id);
  await engine.call("deleteDocument", { id });
  const other = await engine.ingest({ text: "quagga", source_path: "p" });
  const { status, body } = await engine.call("restoreDocument", { id, body: {} });
  assertEquals([status, body.error.code, body.error.details.document_id], [
    409,
    "conflict",
    other.document_id,
  ]);
});

import { assertEquals } from "@std/assert";
import type { RouteName } from "../../../src/contract/mod.ts";
import { EmbeddedEngine, type Send } from "../../support/embedded_engine.ts";

/** Opens an engine with a note of version 2, which Ann wrote and Zoë has changed. */
async function engineWithNote() {
  const engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "The kettle is on the shelf." });
  const id = Number(document_id);
  await engine.call("updateNote", {
    id,
    body: { text: "The kettle is in the sink." },
    headers: { "x-kb-actor": "Zo%C3%AB" },
  });
  return Object.assign(engine, { id });
}

/** Each conditional change, and the version that the document has afterwards. */
const CHANGES: readonly [name: RouteName, send: Send, etag: string | null][] = [
  ["updateNote", { body: { text: "The kettle is gone." } }, '"3"'],
  ["editDocument", { body: { append: "It whistles." } }, '"3"'],
  ["changeTags", { body: { add: ["kitchen"] } }, '"3"'],
  ["deleteDocument", {}, null],
];

for (const [name, send, etag] of CHANGES) {
  for (const condition of ['"2"', "*", '"1", "2"', 'W/"1", "2"']) {
    Deno.test(`${name} with If-Match ${condition} changes version 2`, async () => {
      await using engine = await engineWithNote();
      const { status, headers } = await engine.call(name, {
        ...send,
        id: engine.id,
        headers: { "if-match": condition },
      });
      assertEquals([status, headers.get("etag")], [200, etag]);
    });
  }

  for (const condition of ['"1"', '"1", "3"', 'W/"2"', '"other"']) {
    Deno.test(`${name} with If-Match ${condition} does not change version 2`, async () => {
      await using engine = await engineWithNote();
      const before = await engine.call("getDocument", { id: engine.id });
      const { status, body } = await engine.call(name, {
        ...send,
        id: engine.id,
        headers: { "if-match": condition },
      });
      const { changed_at, ...details } = body.error.details;
      assertEquals([status, body.error.code, details], [412, "version_conflict", {
        document_id: engine.id,
        version: 2,
        title: before.body.title,
        changed_by: "Zoë",
      }]);
      assertEquals(changed_at, before.body.updated_at);
      assertEquals(await engine.call("getDocument", { id: engine.id }).then(({ body }) => body), before.body);
    });
  }

  Deno.test(`${name} with a malformed If-Match is invalid`, async () => {
    await using engine = await engineWithNote();
    const { status, body } = await engine.call(name, {
      ...send,
      id: engine.id,
      headers: { "if-match": "2" },
    });
    assertEquals([status, body.error.code], [400, "invalid"]);
    assertEquals((await engine.call("getDocument", { id: engine.id })).body.version, 2);
  });

  Deno.test(`${name} of an unknown document is not_found, whatever its condition (RFC 9110 §13.2.1)`, async () => {
    await using engine = await engineWithNote();
    for (const condition of ["*", '"1"']) {
      const { status } = await engine.call(name, { ...send, id: 99, headers: { "if-match": condition } });
      assertEquals(status, 404);
    }
  });
}

Deno.test("a document has its version as ETag, and is not sent again to those who have it", async () => {
  await using engine = await engineWithNote();
  const first = await engine.call("getDocument", { id: engine.id });
  assertEquals([first.headers.get("etag"), first.body.version], ['"2"', 2]);
  const path = `/api/v1/documents/${engine.id}`;
  for (const method of ["GET", "HEAD"]) {
    const { status, headers, body } = await engine.fetch(method, path, {
      headers: { "if-none-match": 'W/"2"' },
    });
    assertEquals([status, headers.get("etag"), headers.get("content-type"), body], [304, '"2"', null, null]);
  }
  await engine.call("changeTags", { id: engine.id, body: { add: ["kitchen"] } });
  const { status, headers } = await engine.fetch("GET", path, { headers: { "if-none-match": '"2"' } });
  assertEquals([status, headers.get("etag")], [200, '"3"']);
});

Deno.test("a change that changes nothing keeps the ETag", async () => {
  await using engine = await engineWithNote();
  const { headers } = await engine.call("changeTags", { id: engine.id, body: { remove: ["absent"] } });
  assertEquals(headers.get("etag"), '"2"');
});

for (const actor of ["100%", "%00", "x".repeat(101), "%ff"]) {
  Deno.test(`X-KB-Actor ${actor.slice(0, 9)} is invalid`, async () => {
    await using engine = await engineWithNote();
    const { status, body } = await engine.call("deleteDocument", {
      id: engine.id,
      headers: { "x-kb-actor": actor },
    });
    assertEquals([status, body.error.message.startsWith("X-KB-Actor must be a name")], [400, true]);
    assertEquals((await engine.call("getDocument", { id: engine.id })).status, 200);
  });
}

Deno.test("a read ignores the headers of a change", async () => {
  await using engine = await engineWithNote();
  const headers = { "if-match": "?", "x-kb-actor": "100%" };
  assertEquals((await engine.call("getDocument", { id: engine.id, headers })).status, 200);
});

import { assertEquals } from "@std/assert";
import type { RouteName } from "../../../src/contract/mod.ts";
import { EmbeddedEngine, type Send } from "../../support/embedded_engine.ts";

/** Id of no document. */
const UNKNOWN_ID = 999_999;

/** Each conditional change, and the version that the document has afterwards. */
const CHANGES: readonly [name: RouteName, send: Send, etag: string | null][] = [
  ["updateNote", { body: { text: "The kettle is gone." } }, '"3"'],
  ["editDocument", { body: { append: "It whistles." } }, '"3"'],
  ["changeTags", { body: { add: ["kitchen"] } }, '"3"'],
  ["deleteDocument", {}, null],
];

// One engine for all, because starting one takes far longer than a change.
Deno.test("conditional changes", async (t) => {
  await using engine = await EmbeddedEngine.open();
  // The engine stores the uses of documents every minute: its timer may outlive a step, but not the test.
  const step = (name: string, fn: () => Promise<void>) => t.step({ name, fn, sanitizeOps: false });

  let kettles = 0;
  /** Adds a note of version 2, which Ann wrote and Zoë has changed. */
  async function newNote(): Promise<number> {
    const kettle = ++kettles;
    const { document_id } = await engine.ingest({ text: `Kettle ${kettle} is on the shelf.` });
    const id = Number(document_id);
    await engine.call("updateNote", {
      id,
      body: { text: `Kettle ${kettle} is in the sink.` },
      headers: { "x-kb-actor": "Zo%C3%AB" },
    });
    return id;
  }

  for (const [name, send, etag] of CHANGES) {
    for (const condition of ['"2"', "*", '"1", "2"', 'W/"1", "2"']) {
      await step(`${name} with If-Match ${condition} changes version 2`, async () => {
        const id = await newNote();
        const { status, headers } = await engine.call(name, {
          ...send,
          id,
          headers: { "if-match": condition },
        });
        assertEquals([status, headers.get("etag")], [200, etag]);
      });
    }

    for (const condition of ['"1"', '"1", "3"', 'W/"2"', '"other"']) {
      await step(`${name} with If-Match ${condition} does not change version 2`, async () => {
        const id = await newNote();
        const before = await engine.call("getDocument", { id });
        const { status, body } = await engine.call(name, {
          ...send,
          id,
          headers: { "if-match": condition },
        });
        const { changed_at, ...details } = body.error.details;
        assertEquals([status, body.error.code, details], [412, "version_conflict", {
          document_id: id,
          version: 2,
          title: before.body.title,
          changed_by: "Zoë",
        }]);
        assertEquals(changed_at, before.body.updated_at);
        assertEquals(await engine.call("getDocument", { id }).then(({ body }) => body), before.body);
      });
    }

    await step(`${name} with a malformed If-Match is invalid`, async () => {
      const id = await newNote();
      const { status, body } = await engine.call(name, {
        ...send,
        id,
        headers: { "if-match": "2" },
      });
      assertEquals([status, body.error.code], [400, "invalid"]);
      assertEquals((await engine.call("getDocument", { id })).body.version, 2);
    });

    await step(
      `${name} of an unknown document is not_found, whatever its condition (RFC 9110 §13.2.1)`,
      async () => {
        await newNote();
        for (const condition of ["*", '"1"']) {
          const { status } = await engine.call(name, {
            ...send,
            id: UNKNOWN_ID,
            headers: { "if-match": condition },
          });
          assertEquals(status, 404);
        }
      },
    );
  }

  await step("a document has its version as ETag, and is not sent again to those who have it", async () => {
    const id = await newNote();
    const first = await engine.call("getDocument", { id });
    assertEquals([first.headers.get("etag"), first.body.version], ['"2"', 2]);
    const path = `/api/v1/documents/${id}`;
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, body } = await engine.fetch(method, path, {
        headers: { "if-none-match": 'W/"2"' },
      });
      assertEquals([status, headers.get("etag"), headers.get("content-type"), body], [
        304,
        '"2"',
        null,
        null,
      ]);
    }
    await engine.call("changeTags", { id, body: { add: ["kitchen"] } });
    const { status, headers } = await engine.fetch("GET", path, { headers: { "if-none-match": '"2"' } });
    assertEquals([status, headers.get("etag")], [200, '"3"']);
  });

  await step("a change that changes nothing keeps the ETag", async () => {
    const id = await newNote();
    const { headers } = await engine.call("changeTags", { id, body: { remove: ["absent"] } });
    assertEquals(headers.get("etag"), '"2"');
  });

  for (const actor of ["100%", "%00", "x".repeat(101), "%ff"]) {
    await step(`X-KB-Actor ${actor.slice(0, 9)} is invalid`, async () => {
      const id = await newNote();
      const { status, body } = await engine.call("deleteDocument", {
        id,
        headers: { "x-kb-actor": actor },
      });
      assertEquals([status, body.error.message.startsWith("X-KB-Actor must be a name")], [400, true]);
      assertEquals((await engine.call("getDocument", { id })).status, 200);
    });
  }

  await step("a read ignores the headers of a change", async () => {
    const id = await newNote();
    const headers = { "if-match": "?", "x-kb-actor": "100%" };
    assertEquals((await engine.call("getDocument", { id, headers })).status, 200);
  });
});

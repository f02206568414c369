import { assertEquals, assertRejects } from "@std/assert";
import { EngineClient, EngineError } from "../../src/client/mod.ts";

/** Returns the error of a change that the engine rejects. */
async function rejectedBy(status: number, body: unknown): Promise<EngineError> {
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    apiKey: "secret",
    fetch: () => Promise.resolve(Response.json(body, { status })),
  });
  return await assertRejects(() => client.updateNote(5, { text: "x" }), EngineError);
}

Deno.test("a stale version is a version_conflict with the current state", async () => {
  const details = {
    document_id: 5,
    version: 4,
    title: "Tea secret",
    changed_at: "2026-01-01",
    changed_by: "B",
  };
  const error = await rejectedBy(412, { error: { code: "version_conflict", message: "Stale", details } });
  assertEquals([error.code, error.status, error.details], [
    "version_conflict",
    412,
    { ...details, title: "Tea [key]" },
  ]);
});

for (const details of [undefined, null, "x", [], { version: "four" }]) {
  Deno.test(`a version_conflict with details ${JSON.stringify(details)} is still one`, async () => {
    const error = await rejectedBy(412, { error: { code: "version_conflict", message: "Stale", details } });
    assertEquals(error.code, "version_conflict");
    assertEquals(error.message.includes("kb_get"), true);
  });
}

Deno.test("412 without a code of the contract is a version_conflict, too", async () => {
  const error = await rejectedBy(412, { detail: "Precondition Failed" });
  assertEquals([error.code, error.details], ["version_conflict", { document_id: 5, version: null }]);
});

Deno.test("a path that is taken is a conflict that names the document there", async () => {
  const details = { document_id: 9, title: null, doc_type: "text", collection: "documents", version: 1 };
  const error = await rejectedBy(409, { error: { code: "conflict", message: "Taken by 9", details } });
  assertEquals([error.code, error.message, error.details], [
    "conflict",
    "Taken by 9. Nothing was changed.",
    details,
  ]);
});

Deno.test("410 is expired, with the engine's message", async () => {
  const error = await rejectedBy(410, { error: { code: "expired", message: "Job 5 ended long ago" } });
  assertEquals([error.code, error.message], ["expired", "Job 5 ended long ago."]);
});

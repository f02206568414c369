import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { setField, TextResponse } from "../../src/web/mod.ts";

const HEADERS = { "content-type": "text/plain", "cache-control": "no-store" };

Deno.test("a text response is a response with its status, headers and body", async () => {
  const response = new TextResponse("grüezi", { status: 404, headers: HEADERS });
  setField(response, "x-request-id", "a1");
  assertEquals(response.status, 404);
  assertEquals(response.headers.get("X-Request-Id"), "a1");
  assertEquals(response.headers.get("content-type"), "text/plain");
  assertEquals([response.content, await response.text()], ["grüezi", "grüezi"]);
});

Deno.test("the parts of a text response are its body, as text, bytes and stream", async () => {
  const bytes = new TextEncoder().encode('"grüezi"');
  const json = '[1,"grüezi"]';
  const create = () => new TextResponse(["[1,", bytes, "]"], { headers: { "content-type": "text/csv" } });
  const encoded = new TextEncoder().encode(json);
  assertEquals([await create().text(), await create().json()], [json, [1, "grüezi"]]);
  assertEquals([await create().bytes(), new Uint8Array(await create().arrayBuffer())], [encoded, encoded]);
  assertEquals(await new Response(create().body).text(), json);
  const blob = await create().blob();
  assertEquals([await blob.text(), blob.type], [json, "text/csv"]);
  const form = new TextResponse("a=1", { headers: { "content-type": "application/x-www-form-urlencoded" } });
  assertEquals([...await form.formData()], [["a", "1"]]);
});

Deno.test("the body of a text response is read once, and a copy has its own", async () => {
  const response = new TextResponse("text", { status: 404, headers: HEADERS });
  const copy = response.clone();
  assertEquals([response.bodyUsed, await response.text(), response.bodyUsed], [false, "text", true]);
  await assertRejects(() => response.text(), TypeError);
  assertThrows(() => response.clone(), TypeError);
  assertEquals([copy.status, copy.headers.get("cache-control"), await copy.text()], [
    404,
    "no-store",
    "text",
  ]);
});

Deno.test("the fields of a text response are the same before and after its Headers are read", () => {
  for (const isRead of [false, true]) {
    const response = new TextResponse("", { headers: HEADERS });
    setField(response, "x-request-id", "a1");
    if (isRead) response.headers.append("vary", "Origin");
    setField(response, "x-request-id", "b2");
    assertEquals(Object.fromEntries(response.fields), {
      ...HEADERS,
      "x-request-id": "b2",
      ...(isRead && { vary: "Origin" }),
    });
    assertEquals([response.field("x-request-id"), response.field("connection")], ["b2", null]);
  }
});

Deno.test("a text response rejects a field value that would begin another field", () => {
  for (const value of ["1\r\nset-cookie: a=b", "1\n", "\u0000", "\u20ac"]) {
    assertThrows(() => new TextResponse("", { headers: { "retry-after": value } }), TypeError, "retry-after");
  }
});

Deno.test("a response can be made of a text response", async () => {
  const response = new Response(null, new TextResponse("text", { status: 201, headers: HEADERS }));
  assertEquals([response.status, response.headers.get("cache-control")], [201, "no-store"]);
  assertEquals(await response.text(), "");
});

Deno.test("a field is set on any response", () => {
  const response = new Response("text");
  setField(response, "x-request-id", "a1");
  assertEquals(response.headers.get("x-request-id"), "a1");
});

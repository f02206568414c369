import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  currentRequest,
  newRequestId,
  requestIdOf,
  runDetached,
  runForRequest,
} from "../../src/telemetry/mod.ts";

const idOf = (value: string) => requestIdOf(new Headers({ "x-request-id": value }));

Deno.test("a request keeps the id that its client chose", () => {
  for (
    const id of ["1", "01JD8Z", "5f2b7c0e-9d1a-4a57-8f0a-2f1f6a3f3a11", "a.b:c_d+e/f=", "x".repeat(64)]
  ) {
    assertEquals(idOf(id), id);
  }
});

Deno.test("an id that is too long or could disturb a log is replaced", () => {
  for (const id of ["", " ", "x".repeat(65), "a b", 'a"b', "a\tb", "a,b", "é", "<script>", "a;b", "$(id)"]) {
    assertMatch(idOf(id), /^[\w-]{8}$/);
  }
  assertMatch(requestIdOf(new Headers()), /^[\w-]{8}$/);
});

Deno.test("new ids are unique", () => {
  assertEquals(new Set(Array.from({ length: 5000 }, newRequestId)).size, 5000);
});

Deno.test("work that outlives a request does not keep its id", () => {
  // The test runner keeps the request of an earlier test.
  const outside = currentRequest();
  runForRequest({ id: "r1" }, () => {
    assertEquals(currentRequest()?.id, "r1");
    assertEquals(runDetached(currentRequest), undefined);
    assertEquals(currentRequest()?.id, "r1");
  });
  assert(currentRequest() === outside);
});

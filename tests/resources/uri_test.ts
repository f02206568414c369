import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { ResourceNotFoundError } from "../../src/resources/mod.ts";
import { parseUri, plainIds } from "../../src/resources/uri.ts";
import { chunkUri, collectionUri, documentUri } from "../../src/tools/mod.ts";

const VALID: readonly (readonly [string, unknown])[] = [
  ["kb://status", { type: "status" }],
  ["KB://Status", { type: "status" }],
  ["kb://collections/memory", { type: "collection", name: "memory" }],
  ["kb://collections/m%65mory", { type: "collection", name: "memory" }],
  ["kb://documents/12", { type: "document", id: "12" }],
  ["kb://documents/12~quarterly-report", { type: "document", id: "12~quarterly-report" }],
  ["kb://documents/12~r%C3%A9sum%C3%A9", { type: "document", id: "12~résumé" }],
  ["kb://documents/12~résumé", { type: "document", id: "12~résumé" }],
  ["kb://documents/a%2Fb%20c", { type: "document", id: "a/b c" }],
  ["kb://documents/12/chunks/0", { type: "chunk", id: "12", index: 0 }],
  ["kb://documents/12~q/chunks/345", { type: "chunk", id: "12~q", index: 345 }],
  [documentUri("ü/../?#%"), { type: "document", id: "ü/../?#%" }],
  [chunkUri("a b", 7), { type: "chunk", id: "a b", index: 7 }],
  [collectionUri("a/b"), { type: "collection", name: "a/b" }],
];

for (const [uri, target] of VALID) {
  Deno.test(`${uri} is valid`, () => assertEquals(parseUri(uri) as unknown, target));
}

const INVALID: readonly (readonly [string, RegExp])[] = [
  ["", /does not start with kb:/],
  ["http://documents/12", /does not start with kb:/],
  ["kb:status", /does not start with kb:/],
  ["kb://", /path has an empty segment/],
  ["kb://status/", /path has an empty segment/],
  ["kb:///status", /path has an empty segment/],
  ["kb://documents//chunks/1", /path has an empty segment/],
  ["kb://documents/", /path has an empty segment/],
  ["kb://documents", /path is unknown/],
  ["kb://documents/12/chunks", /path is unknown/],
  ["kb://documents/12/pages/1", /path is unknown/],
  ["kb://documents/12/chunks/1/2", /path is unknown/],
  ["kb://status/x", /path is unknown/],
  ["kb://collections/memory/1", /path is unknown/],
  ["kb://user@documents/12", /path is unknown/],
  ["kb://nothing", /path is unknown/],
  ["kb://documents/12?x=1", /query or a fragment/],
  ["kb://documents/12#top", /query or a fragment/],
  ["kb://documents/%", /percent-encoding is malformed/],
  ["kb://documents/%zz", /percent-encoding is malformed/],
  ["kb://documents/%ff", /percent-encoding is malformed/],
  ["kb://documents/%ed%a0%80", /percent-encoding is malformed/],
  ["kb://documents/\ud800", /is not a document id/],
  [`kb://documents/${"1".repeat(201)}`, /is not a document id/],
  ["kb://documents/12/chunks/01", /whole number/],
  ["kb://documents/12/chunks/-1", /whole number/],
  ["kb://documents/12/chunks/1e3", /whole number/],
  ["kb://documents/12/chunks/9999999999", /whole number/],
  [`kb://documents/${"x".repeat(1_000_000)}`, /longer than/],
];

for (const [uri, reason] of INVALID) {
  Deno.test(`${JSON.stringify(uri.slice(0, 40))} is not found: ${reason.source}`, () => {
    const { message } = assertThrows(() => parseUri(uri), ResourceNotFoundError);
    assertMatch(message, reason);
    assertStringIncludes(message, "kb://documents/{id}/chunks/{n}");
    assertEquals(message.length < 500 && message.isWellFormed(), true);
  });
}

Deno.test("a readable id resolves to the part before its first tilde, then to all of it", () => {
  assertEquals(plainIds("12~a~b"), ["12", "12~a~b"]);
  assertEquals(plainIds("12"), ["12"]);
  assertEquals(plainIds("~12"), ["~12"]);
  assertEquals(plainIds(`12~${"x".repeat(500)}`), ["12"]);
});

import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { ResourceNotFoundError } from "../../src/resources/mod.ts";
import { parseUri, readableIds } from "../../src/resources/parse_uri.ts";
import { chunkUri, collectionUri, documentUri } from "../../src/tools/mod.ts";

const READ: readonly (readonly [string, unknown])[] = [
  ["kb://status", { kind: "status" }],
  ["KB://Status", { kind: "status" }],
  ["kb://collections/memory", { kind: "collection", name: "memory" }],
  ["kb://collections/m%65mory", { kind: "collection", name: "memory" }],
  ["kb://documents/12", { kind: "document", id: "12" }],
  ["kb://documents/12~quarterly-report", { kind: "document", id: "12~quarterly-report" }],
  ["kb://documents/12~r%C3%A9sum%C3%A9", { kind: "document", id: "12~résumé" }],
  ["kb://documents/12~résumé", { kind: "document", id: "12~résumé" }],
  ["kb://documents/a%2Fb%20c", { kind: "document", id: "a/b c" }],
  ["kb://documents/12/chunks/0", { kind: "chunk", id: "12", index: 0 }],
  ["kb://documents/12~q/chunks/345", { kind: "chunk", id: "12~q", index: 345 }],
  [documentUri("ü/../?#%"), { kind: "document", id: "ü/../?#%" }],
  [chunkUri("a b", 7), { kind: "chunk", id: "a b", index: 7 }],
  [collectionUri("a/b"), { kind: "collection", name: "a/b" }],
];

for (const [uri, target] of READ) {
  Deno.test(`${uri} is read`, () => assertEquals(parseUri(uri) as unknown, target));
}

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["", /does not start with kb:/],
  ["http://documents/12", /does not start with kb:/],
  ["kb:status", /does not start with kb:/],
  ["kb://", /part of its path is empty/],
  ["kb://status/", /part of its path is empty/],
  ["kb:///status", /part of its path is empty/],
  ["kb://documents//chunks/1", /part of its path is empty/],
  ["kb://documents/", /part of its path is empty/],
  ["kb://documents", /nothing has such a path/],
  ["kb://documents/12/chunks", /nothing has such a path/],
  ["kb://documents/12/pages/1", /nothing has such a path/],
  ["kb://documents/12/chunks/1/2", /nothing has such a path/],
  ["kb://status/x", /nothing has such a path/],
  ["kb://collections/memory/1", /nothing has such a path/],
  ["kb://user@documents/12", /nothing has such a path/],
  ["kb://nothing", /nothing has such a path/],
  ["kb://documents/12?x=1", /query or a fragment/],
  ["kb://documents/12#top", /query or a fragment/],
  ["kb://documents/%", /percent-encoding is malformed/],
  ["kb://documents/%zz", /percent-encoding is malformed/],
  ["kb://documents/%ff", /percent-encoding is malformed/],
  ["kb://documents/%ed%a0%80", /percent-encoding is malformed/],
  ["kb://documents/\ud800", /no document has such an id/],
  [`kb://documents/${"1".repeat(201)}`, /no document has such an id/],
  ["kb://documents/12/chunks/01", /whole number/],
  ["kb://documents/12/chunks/-1", /whole number/],
  ["kb://documents/12/chunks/1e3", /whole number/],
  ["kb://documents/12/chunks/9999999999", /whole number/],
  [`kb://documents/${"x".repeat(1_000_000)}`, /longer than/],
];

for (const [uri, why] of REFUSED) {
  Deno.test(`${JSON.stringify(uri.slice(0, 40))} is refused: ${why.source}`, () => {
    const { message } = assertThrows(() => parseUri(uri), ResourceNotFoundError);
    assertMatch(message, why);
    assertStringIncludes(message, "kb://documents/{id}/chunks/{n}");
    assertEquals(message.length < 500 && message.isWellFormed(), true);
  });
}

Deno.test("a readable id means what stands before its first tilde, and only then all of it", () => {
  assertEquals(readableIds("12~a~b"), ["12", "12~a~b"]);
  assertEquals(readableIds("12"), ["12"]);
  assertEquals(readableIds("~12"), ["~12"]);
  assertEquals(readableIds(`12~${"x".repeat(500)}`), ["12"]);
});

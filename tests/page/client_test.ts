import { assertEquals } from "@std/assert";
import { formatSize, titleOf } from "../../src/page/client/format.js";
import { queryTerms } from "../../src/page/client/highlight.js";
import { href } from "../../src/page/client/router.js";

Deno.test("the words of a query are marked without excluded ones and operators", () => {
  assertEquals(queryTerms('"exact phrase" -excluded Äpfel äpfel'), ["exact", "phrase", "apfel"]);
  assertEquals(queryTerms("routr", ["router"]), ["routr", "router"]);
  assertEquals(queryTerms("  - -- "), []);
  assertEquals(queryTerms(Array.from({ length: 100 }, (_, n) => `w${n}`).join(" ")).length, 32);
});

Deno.test("a link of the page has no empty parameters and no unencoded ones", () => {
  assertEquals(href("search", { q: "a&b #c", collection: "", top: undefined }), "#/search?q=a%26b+%23c");
  assertEquals(href("documents"), "#/documents");
});

Deno.test("a document without a title has the first line of its text", () => {
  assertEquals(titleOf({ title: "T", text: "x" }), "T");
  assertEquals(titleOf({ text: "\n\n## Heading\ntext" }), "Heading");
  assertEquals(titleOf({ title: null, text: "", document_id: 7 }), "Document 7");
  assertEquals(titleOf({ text: "x".repeat(500) }).length, 101);
});

Deno.test("sizes have the unit of their magnitude", () => {
  assertEquals([999, 1000, 9_949, 12_345_678, undefined].map(formatSize), [
    "999 bytes",
    "1.0 kB",
    "9.9 kB",
    "12 MB",
    "",
  ]);
});

import { assertEquals } from "@std/assert";
import { collapseSpace } from "../../src/text/mod.ts";

Deno.test("collapseSpace replaces every run of white space with a single space", () => {
  const spaces = ["", " ", "  ", "\n", "\t ", " \u00a0", "\u2003", "\ufeff\r\n"];
  for (const before of spaces) {
    for (const between of spaces.slice(1)) {
      for (const after of spaces) {
        const text = `${before}one two${between}three${after}`;
        assertEquals(collapseSpace(text), "one two three", JSON.stringify(text));
      }
    }
  }
});

Deno.test("collapseSpace returns nothing for white space only", () => {
  assertEquals(["", " ", "\n\n", "  \t"].map(collapseSpace), ["", "", "", ""]);
});

import { assertEquals } from "@std/assert";
import { compilePatterns } from "../../src/folder/ignore_rules.ts";
import { simplePattern } from "../../src/folder/simple_pattern.ts";

Deno.test("a pattern with many wildcards loses its middle, and matches at least the same", () => {
  const cases = {
    "**/node_modules/**/*.min.*": "**/node_modules/**/*.min.*",
    "# * [*] * * * *": "# * [*] * * * *",
    "a*b*c*d*e": "a*e",
    "a[*]b*x*y*c/z": "a*c/z",
    "\\*a\\*b\\*c\\*d\\*e": "\\*a\\*b\\*c\\*d\\*e",
    "x/**/a/**/b/**/c/**/d/**/e": "x/**/a/**/e",
    "!a*b*c*d*e": undefined,
  };
  for (const [pattern, expected] of Object.entries(cases)) assertEquals(simplePattern(pattern), expected);
});

Deno.test("hostile patterns take no time", () => {
  const path = `${"a/".repeat(60)}x.md`;
  const rules = compilePatterns(`${"**/a/".repeat(20)}b\n${"*a".repeat(100)}b\n${"a[a]*".repeat(50)}b\nx.md`);
  assertEquals([rules.ignores(path), rules.ignores("c".repeat(200))], [true, false]);
});

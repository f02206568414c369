import { assertEquals } from "@std/assert";
import { PATTERNS, suggestions } from "../../scripts/wording.ts";

const MATCHES: readonly string[] = [
  "Returns what was found.",
  "Told of errors by whoever calls",
  "Embeds everything anew",
  "/** Most results of a page. */",
  "The reader goes on after the last row",
];

const PLAIN: readonly string[] = [
  "Maximum number of results.",
  "Most of the time is spent in the parser; the most recent row wins.",
  "`{id}` stands for one path segment.",
  "Retries after a timeout.",
];

Deno.test("wording finds phrases that read as translated, with a replacement", () => {
  for (const line of MATCHES) assertEquals(suggestions(line).length > 0, true, line);
  assertEquals(suggestions("rebuilt anew"), ['"anew" → again, rebuild, re-embed']);
});

Deno.test("wording leaves plain English alone", () => {
  for (const line of PLAIN) assertEquals(suggestions(line), [], line);
  assertEquals(PATTERNS.every(([, instead]) => instead.length > 0), true);
});

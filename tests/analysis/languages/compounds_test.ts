import { assertEquals } from "@std/assert";
import { compoundPrefixes, compoundTerms } from "../../../src/analysis/languages/compounds.ts";

Deno.test("a compound starts with the prefix of its tail, and with that of its head", () => {
  const [term = ""] = compoundTerms("mietvertrags", ["mietvertrag"], "de");
  const [{ tail = "-" } = {}] = compoundPrefixes("verträge", ["vertrag"], "de");
  assertEquals(term.startsWith(tail), true);
  assertEquals(compoundPrefixes("datenbank", ["datenbank"], "de")[0]?.head, "\ue000dedatenbank");
  assertEquals(term.startsWith(compoundPrefixes("verträge", ["vertrag"], "nl")[0]?.tail ?? "-"), false);
});

Deno.test("short words are no compounds, and no parts of compounds", () => {
  assertEquals(compoundTerms("fahrrad", ["fahrrad"], "de"), []);
  assertEquals(compoundPrefixes("bil", ["bil"], "sv"), []);
  // Long enough as a tail, but the head could be a prefix such as "unter".
  assertEquals(Object.keys(compoundPrefixes("unter", ["unter"], "de")[0] ?? {}), ["tail"]);
});

Deno.test("languages that write compounds as several words have none", () => {
  assertEquals(compoundTerms("internationalization", ["internation"], "fr"), []);
  assertEquals(compoundPrefixes("national", ["national"], "fr"), []);
});

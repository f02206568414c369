import { assertEquals } from "@std/assert";
import { wordsOf } from "../../../src/engine/search/query_terms.ts";
import { versionForms } from "../../../src/engine/search/version_forms.ts";

Deno.test("a version has its spelling with or without a v", () => {
  const forms = (text: string) => versionForms(text, wordsOf(text)).map((words) => words.join(" "));
  assertEquals(forms("v2.4.1"), ["2 4 1"]);
  assertEquals(forms("V2.4"), ["2 4"]);
  assertEquals(forms("(2.4.1-rc1)"), ["v2 4 1 rc1"]);
  for (const text of ["2.4", "v2", "dev2.4.1", "2", "", "1,249.90"]) assertEquals(forms(text), [], text);
});

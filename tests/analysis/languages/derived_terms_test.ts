import { assert, assertEquals } from "@std/assert";
import { derivedForms, loadLanguages } from "../../../src/analysis/mod.ts";

Deno.test("words of up to 64 letters have derived forms, longer ones none", async () => {
  await loadLanguages();
  assertEquals(derivedForms(`${"x".repeat(60)}ungen`, "de"), []);
  assert(derivedForms(`${"x".repeat(59)}ungen`, "de").length > 0);
});

import { assertEquals } from "@std/assert";
import { asciiDigits, digitForms } from "../../src/analysis/digits.ts";

Deno.test("digits of other scripts are replaced with those of ASCII", () => {
  assertEquals(asciiDigits("٠١٢٣٤٥٦٧٨٩ ۰۱۲۳۴۵۶۷۸۹ ०१२३४५६७८९"), "0123456789 0123456789 0123456789");
  assertEquals(asciiDigits("قاعة ٤٢ of 7"), "قاعة 42 of 7");
});

Deno.test("a number has a form in the digits of each language that has its own", () => {
  assertEquals(digitForms("42", ["ar", "de", "fa", "hi"]), ["٤٢", "۴۲", "४२"]);
  assertEquals(digitForms("٤٢", ["ar", "fa"]), ["۴۲"]);
  assertEquals(digitForms("4e2", ["ar"]), []);
  assertEquals(digitForms("word", ["ar"]), []);
});

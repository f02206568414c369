import { assertEquals } from "@std/assert";
import { hanForms, hanTerms } from "../../../src/analysis/languages/han.ts";
import { loadStemmers } from "../../../src/analysis/languages/tables.ts";

const term = (text: string) => `\ue000zh${text}`;

Deno.test("traditional characters derive terms in simplified ones, alone and in pairs", async () => {
  await loadStemmers();
  assertEquals(hanTerms("資料\n庫"), [term("资料"), term("料库"), term("资"), term("库")]);
  assertEquals(hanTerms("数据库"), []);
  assertEquals(hanTerms("plain text"), []);
});

Deno.test("characters of one simplified form match each other", async () => {
  await loadStemmers();
  assertEquals(hanForms("頭髮"), [term("头发"), "头发"]);
  assertEquals(hanForms("發現"), [term("发现"), "发现"]);
  assertEquals(hanForms("发现"), [term("发现")]);
  for (const text of ["発", "abc", "の", "三文字"]) assertEquals(hanForms(text).includes(text), false, text);
  assertEquals(hanForms("の本"), []);
});

Deno.test("an iteration mark repeats the character before it", async () => {
  await loadStemmers();
  assertEquals(hanTerms("人々"), [term("人人"), term("人")]);
  assertEquals(hanForms("人々"), [term("人人"), "人人"]);
  assertEquals(hanTerms("々"), []);
});

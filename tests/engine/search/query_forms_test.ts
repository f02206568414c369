import { assert, assertEquals } from "@std/assert";
import { DERIVED_PREFIX, loadStemmers } from "../../../src/analysis/mod.ts";
import { parseQuery } from "../../../src/engine/search/query.ts";
import { withForms } from "../../../src/engine/search/query_forms.ts";
import { WordForms } from "../../../src/engine/search/word_forms.ts";

await loadStemmers();

/** Returns the terms of a query with their weights and the languages of their forms. */
function terms(query: string, languages: readonly string[]) {
  return withForms(parseQuery(query), new WordForms(languages)).terms.map(({ words, weight, forms = [] }) =>
    [words.join(" "), weight, [...new Set(forms.map((form) => form.slice(1, 3)))].join(" ")] as const
  );
}

Deno.test("a query of a store of English text is unchanged", () => {
  const query = parseQuery("Häuser am Fluss");
  assert(withForms(query, new WordForms([])) === query);
});

Deno.test("a plain English query has no forms of other languages", () => {
  const query = parseQuery("what is the name of the server that they use");
  assert(withForms(query, new WordForms(["de", "nl"])) === query);
});

Deno.test("a short query has the forms of all languages of its script", () => {
  assertEquals(terms("Verträge", ["de", "fr", "ru"]), [["vertrage", 1, "de fr"]]);
  assertEquals(terms("договоры", ["de", "ru", "uk"]), [["договоры", 1, "ru uk"]]);
  const [term] = withForms(parseQuery("Häuser"), new WordForms(["de"])).terms;
  assertEquals(term?.forms, [`${DERIVED_PREFIX}dehaus`]);
});

Deno.test("stop words tell the language of a query, and weigh less than its other words", () => {
  assertEquals(terms("wo liegen denn die Verträge", ["de", "fr", "nl"]).at(-1), ["vertrage", 1, "de"]);
  const [, weight] = terms("wo liegen denn die Verträge", ["de", "fr"]).find(([word]) => word === "denn")!;
  assertEquals(weight, 0.25);
  assertEquals(terms("und aber", ["de"]).map(([, weight]) => weight), [1, 1]);
});

Deno.test("words of a compound and of phrases keep their order, and only single words have forms", () => {
  assertEquals(terms("E-Mail-Verträge", ["de"]).map(([words, , languages]) => [words, languages]), [
    ["e mail vertrage", ""],
    ["e", ""],
    ["mail", "de"],
    ["vertrage", "de"],
  ]);
});

import { assert, assertEquals } from "@std/assert";
import { DERIVED_PREFIX, loadStemmers } from "../../../src/analysis/mod.ts";
import { WordForms } from "../../../src/engine/search/word_forms.ts";

await loadStemmers();

const german = (stem: string) => `${DERIVED_PREFIX}de${stem}`;

Deno.test("forms and compounds that the index does not contain are removed", () => {
  const forms = new WordForms(["de", "nl"], {
    existing: () => new Set([german("vertrag")]),
    havePrefixes: (prefixes) => new Map(prefixes.map((prefix) => [prefix, prefix === german("vertrag")])),
  });
  assertEquals(forms.of(["verträge"]).get("verträge"), {
    forms: [german("vertrag")],
    compounds: [{ head: german("vertrag") }],
  });
});

Deno.test("a word is looked up in the index once", () => {
  let lookUps = 0;
  const forms = new WordForms(["de"], {
    existing: (terms) => {
      lookUps++;
      return new Set(terms);
    },
    havePrefixes: (prefixes) => new Map(prefixes.map((prefix) => [prefix, true])),
  });
  const [first, second] = [forms.of(["verträge", "häuser"]), forms.of(["häuser", "verträge"])];
  assertEquals(lookUps, 1);
  assert(second.get("verträge") === first.get("verträge"));
});

Deno.test("a word with prefixes that have not been looked up keeps them, and is looked up again", () => {
  let lookUps = 0;
  const forms = new WordForms(["de"], {
    existing: (terms) => new Set(terms),
    havePrefixes: () => {
      lookUps++;
      return new Map();
    },
  });
  for (let n = 0; n < 2; n++) assertEquals(forms.of(["verträge"]).get("verträge")?.compounds.length, 1);
  assertEquals(lookUps, 2);
});

Deno.test("a word has no compounds in a language of which it is a stop word", () => {
  const [word] = new WordForms(["de", "nl"]).of(["unter"]).values();
  assertEquals(word?.compounds.map(({ tail = "" }) => tail.slice(2, 4)), ["nl"]);
});

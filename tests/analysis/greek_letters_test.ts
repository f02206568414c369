import { assertEquals } from "@std/assert";
import { greekSubwords } from "../../src/analysis/mod.ts";
import { spelledGreekSubwords } from "../../src/analysis/greek_letters.ts";
import { memoryCorpus, search } from "../engine/sqlite/search/corpus.ts";

Deno.test("words with Greek letters have subwords with their names", () => {
  const cases: [text: string, subwords: string[][]][] = [
    ["PKCζ", [["pkc", "zeta"]]],
    ["IL-1β, TNF-α and TNF-α", [["il", "1", "beta"], ["tnf", "alpha"]]],
    ["NFκB in γδ T cells", [["nf", "kappa", "b"], ["gamma", "delta"]]],
    ["the β receptor", [["beta"]]],
    ["β", [["beta"]]],
    ["5 µm and 5 μm", [["mu", "m"]]],
    ["10 k\u2126", [["k", "omega"]]],
    ["\u2206G of Δ9-THC", [["delta", "g"], ["delta", "9", "thc"]]],
    // Greek text, and words of Greek letters only.
    ["η Αθήνα και το DNA", []],
    ["με το", []],
    ["αβγδεζ sequences", []],
    ["plain text", []],
    ["x".repeat(70) + "α", []],
  ];
  for (const [text, subwords] of cases) assertEquals(greekSubwords(text), subwords, text);
});

Deno.test("an acronym joined to the name of a Greek letter has subwords", () => {
  assertEquals(spelledGreekSubwords("PKCzeta"), ["pkc", "zeta"]);
  assertEquals(spelledGreekSubwords("NFkappaB"), ["nf", "kappa", "b"]);
  assertEquals(spelledGreekSubwords("Beta"), undefined);
  assertEquals(spelledGreekSubwords("AZetabyte"), undefined);
});

Deno.test("all spellings of a Greek letter match each other", async () => {
  const groups = [
    ["PKCζ", "PKC-ζ", "PKC ζ", "PKC zeta", "PKC-zeta", "PKCzeta"],
    ["β-catenin", "β catenin", "beta-catenin", "beta catenin"],
    ["TNF-α", "TNFα", "TNF alpha", "TNF-alpha", "TNFalpha"],
    ["NF-κB", "NFκB", "NF-kappaB", "NF-kappa B", "NFkappaB"],
    ["IL-1β", "IL-1 beta", "IL-1beta"],
  ];
  for (const spellings of groups) {
    for (const spelling of spellings) {
      const { db } = memoryCorpus([
        { title: "other", chunks: ["Some proteins, and PKCα, in cells"] },
        { title: "right", chunks: [`The role of ${spelling} in the disease`] },
      ]);
      for (const query of spellings) {
        const { results } = await search(db, { query });
        assertEquals(results[0]?.title, "right", `${query} in ${spelling}`);
      }
      db.close();
    }
  }
});

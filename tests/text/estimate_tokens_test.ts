import { assert, assertEquals } from "@std/assert";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { SEARCH_DETAILS, type SearchResult } from "../../src/contract/mod.ts";
import { estimateTokens } from "../../src/text/estimate_tokens.ts";
import { callTool } from "../../src/mcp/call_tool.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import type { Tool } from "../../src/tools/mod.ts";
import { openHarness } from "../support/harness.ts";
import { seededRandom } from "../support/random.ts";
import { joinText } from "../../src/text/mod.ts";

const { int, pick } = seededRandom(7);
const repeat = (count: number, make: (n: number) => string, separator = "") =>
  Array.from({ length: count }, (_, n) => make(n)).join(separator);
const hex = (length: number) => repeat(length, () => int(16).toString(16));
const WORDS = ["index", "parse", "cursor", "chunk", "budget", "vector", "stream", "reader"] as const;
const name = () => `${pick(WORDS)}${pick(["Of", "By", "With"])}${pick(["Id", "Score", "Page"])}`;
const codeLine = (n: number) =>
  `  const ${name()} = this.#${name()}[${n}] ?? (await ${name()}({ ${name()}: ${int(999)} }));`;
const logLine = () =>
  `2026-03-0${int(9) + 1}T01:1${int(9)}:02.${int(999)}Z ERR-${int(9999)} ${hex(8)}-${hex(4)}`;

/** Texts of several hundred tokens, by language or format. */
const TEXTS: Record<string, string> = {
  "English": repeat(
    30,
    () => "The heron stands among the reeds and waits for what the evening tide brings. ",
  ),
  "German": repeat(20, () => "Die Wasserschutzgebietsverordnung regelt größere Ausnahmegenehmigungen. "),
  "French": repeat(20, () => "L'été dernier, les élèves ont présenté leurs résultats à la bibliothèque. "),
  "Polish": repeat(20, () => "Wczoraj wieczorem spotkaliśmy się z przyjaciółmi; zażółć gęślą jaźń. "),
  "Finnish": repeat(20, () => "Järjestelmällisyydellään hän ilahdutti työtovereitaan eilen kahvilassa. "),
  "Russian": repeat(30, () => "Цапля стоит среди камышей и ждёт вечернего прилива. "),
  "Arabic": repeat(30, () => "يقف مالك الحزين بين القصب وينتظر المد في المساء. "),
  "Hindi": repeat(30, () => "बगुला सरकंडों के बीच खड़ा है और शाम की प्रतीक्षा करता है। "),
  "Chinese": repeat(50, () => "北京天安门广场上有很多来自各地的游客，"),
  "Japanese": repeat(50, () => "昨日は東京タワーへ行って写真を撮りました。"),
  "Korean": repeat(50, () => "데이터베이스를 검색합니다. 결과를 정렬합니다. "),
  "Thai": repeat(30, () => "นกกระสายืนอยู่ท่ามกลางต้นกกและรอน้ำขึ้นตอนเย็น "),
  "emoji": repeat(60, () => "👩‍🔧🚀🎉👍🏽🇩🇪 "),
  "code": repeat(40, codeLine, "\n"),
  "JSON": JSON.stringify(Array.from({ length: 60 }, () => ({ [name()]: int(1e9), [name()]: [name()] }))),
  "a table": repeat(40, () => `| ${int(1e6)} | ${int(1e4)}.${int(99)} | - |`, "\n"),
  "a log": repeat(30, logLine, "\n"),
};

/** Maximum underestimate, as a factor. */
const TOLERANCE = 1.1;

Deno.test("the estimate is between 0.9 and 2.3 times the o200k_base count for every language and format", () => {
  const ratios = Object.entries(TEXTS).map(([kind, text]) => {
    const json = JSON.stringify(text);
    return [kind, estimateTokens(json) / encode(json).length] as const;
  });
  const outliers = ratios.filter(([, ratio]) => ratio < 1 / TOLERANCE || ratio > 2.3);
  assertEquals(outliers, []);
});

Deno.test("an empty text has no tokens, and any other text has some", () => {
  assertEquals(estimateTokens(""), 0);
  for (const text of ["a", "1", ".", "東", "é", "я", "🚀", "\ud800", "  1"]) {
    assert(estimateTokens(text) > 0, text);
  }
});

Deno.test("a longer text has a lower estimate only where its last word becomes one token", () => {
  for (const text of Object.values(TEXTS)) {
    let last = 0;
    for (let length = 0; length < 300; length++) {
      const tokens = estimateTokens(text.slice(0, length));
      assert(tokens >= last - 10, text.slice(0, length));
      last = tokens;
    }
  }
});

Deno.test("the estimate of English manuals and code is 97 to 112 % of the o200k_base count", async () => {
  for (
    const path of ["docs/search.md", "docs/operations.md", "docs/engine-api.md", "src/text/token_budget.ts"]
  ) {
    const text = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
    const json = JSON.stringify(text);
    const ratio = estimateTokens(json) / encode(json).length;
    assert(ratio > 0.97 && ratio < 1.12, `${path}: ${ratio}`);
  }
});

Deno.test("the results of kb_search stay within max_tokens of o200k_base", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const notes = Object.entries(TEXTS).map(([kind, text], n) => ({
    text: `# heron ${kind}\n\n${text}`,
    title: `Minutes of the ${n}th meeting of the council for waterways`,
    // Half of the results have more metadata than text.
    tags: [`kind-${n}`, ...n % 2 === 0 ? Array.from({ length: 12 }, (_, t) => `project-${t}/${hex(6)}`) : []],
  }));
  await Promise.all([...notes, { text: "A heron.", tags: ["kind-short"] }].map((note) => kb.note(note)));
  const tokensOf = async (args: Record<string, unknown>) => {
    const { json } = await callTool(kbSearch as unknown as Tool, {
      arguments: { query: "heron", top: 50, ...args },
      context: kb.context,
      resourceLinks: true,
    });
    const { results } = JSON.parse(joinText(json)).structuredContent as { results: SearchResult[] };
    assert(results.length > 0);
    return encode(JSON.stringify(results)).length;
  };
  for (const detail of SEARCH_DETAILS) {
    for (const max_tokens of [600, 1500, 4000]) {
      const tokens = await tokensOf({ detail, max_tokens });
      assert(tokens <= max_tokens, `${detail}, ${max_tokens}: ${tokens}`);
      for (const n of notes.keys()) {
        const tokens = await tokensOf({ detail, max_tokens, tags: [`kind-${n}`] });
        assert(
          tokens <= max_tokens * TOLERANCE,
          `${Object.keys(TEXTS)[n]}, ${detail}, ${max_tokens}: ${tokens}`,
        );
      }
    }
  }
});

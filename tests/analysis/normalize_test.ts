import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { DERIVED_PREFIX } from "../../src/analysis/languages/prefix.ts";
import { normalizeForSearch, toSearchText } from "../../src/analysis/normalize.ts";
import { TOKENIZER } from "../../src/analysis/stem.ts";
import { MIGRATIONS } from "../../src/engine/sqlite/store/migrations.ts";

const words = (text: string) => normalizeForSearch(text).split(/\s+/).filter((word) => word !== "");

Deno.test("ASCII is unchanged", () => {
  const text = "Plain\ttext, with ANY `punctuation`\r\n\u0001 and 123.";
  assertEquals(toSearchText(text), text);
});

Deno.test("different spellings of a word become equal", () => {
  const same: [string, string][] = [
    ["crème brûlée", "creme brulee"],
    ["cre\u0300me", "creme"],
    ["Straße", "strasse"],
    ["STRASSE", "STRASSE"],
    ["MASZSTAB ẞ", "maszstab ss"],
    ["ﬁne ﬂow", "fine flow"],
    ["Ærø Łódź Đà Þór", "aero lodz da thor"],
    ["İstanbul ısı", "istanbul isi"],
    ["so\u00adft", "soft"],
    ["zero\u200bwidth \u202ebidi\u202c \ufeffbom", "zerowidth bidi bom"],
    ["ＦＵＬＬ ｗｉｄｔｈ １２", "full width 12"],
    ["Ёлка", "елка"],
    ["ΆΛΦΑ Σίσυφος", "αλφα σισυφοσ"],
    ["مُحَمَّد أحمد", "محمد احمد"],
    ["שָׁלוֹם", "שלום"],
    ["T̷̢h̶i̴s̵", "this"],
    ["Deno™", "deno "],
    ["m² CO₂", "m2 co2"],
    ["ᲐᲑᲒ", "აბგ"],
  ];
  for (const [given, expected] of same) assertEquals(normalizeForSearch(given), expected);
});

Deno.test("composed and decomposed text become equal, also in scripts that keep their marks", () => {
  for (const text of ["がぎぐ", "한국어", "हिन्दी", "สวัสดี", "নমস্কার", "Việt Nam"]) {
    assertEquals(toSearchText(text.normalize("NFD")), toSearchText(text.normalize("NFC")));
  }
});

Deno.test("characters of scripts without spaces, and emoji, become single tokens", () => {
  assertEquals(words("東京タワーへ"), [..."東京タワーへ"]);
  assertEquals(words("ｶﾞｷﾞ"), ["ガ", "ギ"]);
  assertEquals(words("한국어"), [..."한국어"]);
  assertEquals(words("สวัสดี"), [..."สวัสดี"]);
  assertEquals(words("ok👍🏽✅"), ["ok", "👍", "🏽", "✅"]);
  assertEquals(words("👨‍👩‍👧🇩🇪"), ["👨", "👩", "👧", "🇩", "🇪"]);
  assertEquals(words("Denoで書く"), ["deno", "で", "書", "く"]);
  assertEquals(words("हिन्दी में"), ["हिन्दी", "में"]);
});

Deno.test("the search text ends with normalized subwords", () => {
  const cases: [string, string][] = [
    ["call getUserName()", "call getUserName()\nget user name"],
    ["C++ and SHA256", "C++ and SHA256\nsha 256\ncplusplus"],
    ["getÉlanVital", "getelanvital\nget elan vital"],
    ["東京都", " 東  京  都 \n東京\n京都"],
    ["ｶﾞｲﾄﾞ", " ガ  イ  ド \nガイ\nイド"],
    ["get東京Name", "get 東  京 name\n東京"],
    ["plain words", "plain words"],
    ["", ""],
  ];
  for (const [text, expected] of cases) assertEquals(toSearchText(text), expected, text);
});

Deno.test("normalizing a query adds no subwords", () => {
  assertEquals(normalizeForSearch("call getUserName()"), "call getUserName()");
  assertEquals(words("東京"), ["東", "京"]);
});

Deno.test("the result is well-formed and contains no NUL", () => {
  for (const text of ["\ud800", "a\udc00b", "x\0y", "\0", "\ufffd", "é\ud83d"]) {
    const out = toSearchText(text);
    assert(out.isWellFormed() && !out.includes("\0") && !out.includes("\ufffd"), JSON.stringify(out));
  }
  assertEquals(words("a\ud800b x\0y"), ["a", "b", "x", "y"]);
});

Deno.test("no word starts like a derived term", () => {
  const text = `${DERIVED_PREFIX}devertrag a${DERIVED_PREFIX}b`;
  assertEquals(words(text), ["devertrag", "a", "b"]);
  assert(!toSearchText(text).includes(DERIVED_PREFIX));
});

Deno.test("the stemmer uses the tokenizer of the index", () => {
  assert(MIGRATIONS.some(({ sql }) => sql.includes(`tokenize = "${TOKENIZER}"`)));
});

Deno.test("every upper-case letter and its lower case have the same term", () => {
  const db = new DatabaseSync(":memory:");
  db.exec(`CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = "${TOKENIZER}")`);
  db.exec(`CREATE VIRTUAL TABLE v USING fts5vocab (t, instance); BEGIN`);
  const add = db.prepare("INSERT INTO t (rowid, x) VALUES (?, ?)");
  const letters: string[] = [];
  for (let code = 0xa1; code < 0x3000; code++) {
    const letter = String.fromCodePoint(code);
    if (/\p{Lu}/u.test(letter) && [...letter.toLowerCase()].length === 1) letters.push(letter);
  }
  for (const [row, letter] of letters.entries()) {
    add.run(2 * row, toSearchText(letter));
    add.run(2 * row + 1, toSearchText(letter.toLowerCase()));
  }
  const terms = new Map<number, string>();
  for (const row of db.prepare("SELECT doc, term FROM v").all()) {
    terms.set(Number(row["doc"]), String(row["term"]));
  }
  const differing = letters.filter((_, row) =>
    terms.get(2 * row) !== terms.get(2 * row + 1) || !terms.has(2 * row)
  );
  assertEquals(differing, []);
  db.close();
});

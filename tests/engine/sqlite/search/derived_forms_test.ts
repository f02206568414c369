import { assert, assertEquals } from "@std/assert";
import { loadLanguages } from "../../../../src/analysis/mod.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import { TestStore } from "../store/test_store.ts";

/** Stores the texts with a few others and returns the queries that do not find theirs first. */
async function missed(cases: readonly (readonly [text: string, ...queries: string[]])[]): Promise<string[]> {
  await loadLanguages();
  await using store = await TestStore.open();
  const notes = cases.map(([text, ...queries]) => ({ queries, id: store.addNote(text).document_id }));
  const searcher = new Searcher({ db: store.db });
  const found: string[] = [];
  for (const { queries, id } of notes) {
    for (const query of queries) {
      const { results: [first] } = await searcher.search({ query });
      if (first?.document_id !== id) found.push(query);
    }
  }
  return found;
}

Deno.test("compounds are found by their tail and their head", async () => {
  const texts = [
    [
      "Der Datenbankserver wurde gestern neu gestartet und läuft wieder.",
      "Server",
      "Datenbank",
      "Servern",
    ],
    ["Die Kündigung des Mietvertrags muss schriftlich erfolgen.", "Vertrag", "Verträge"],
    ["De autoverzekering is vorige maand met een jaar verlengd.", "verzekering", "verzekeringen"],
    ["Vi behöver en ny hemförsäkring innan vi flyttar till Göteborg.", "försäkring"],
    ["Sygeforsikringen dækker ikke briller, har han fået at vide.", "forsikring"],
    ["Hän unohti maksaa kotivakuutuksen viime kuussa.", "vakuutus"],
    ["Arbeidskontrakten må være signert før første dag på jobben.", "kontrakt"],
    ["Die Katze schläft am liebsten auf dem Sofa.", "Katzen"],
  ] as const;
  assertEquals(await missed(texts), []);
});

Deno.test("simplified and traditional Chinese match each other", async () => {
  assertEquals(
    await missed([
      ["資料庫伺服器昨天重新啟動了", "数据库 资料库", "资料库", "重新启动", "資料庫", "庫", "库"],
      ["会议安排在星期三下午", "會議", "會議安排", "会议"],
      ["他在圖書館學習漢語", "图书馆", "学习汉语", "圖書館"],
    ]),
    [],
  );
});

Deno.test("forms of Japanese verbs and adjectives match each other", async () => {
  assertEquals(
    await missed([
      ["昨日、彼は新しい本を書いた。", "書く", "書きます", "書いて"],
      ["明日は友達と海へ行きます。", "行った", "行く", "行かない"],
      ["朝ごはんにりんごを食べました。", "食べる", "食べて"],
      ["この山はとても高かった。", "高い"],
      ["サーバーを再起動する手順", "サーバ", "ｻｰﾊﾞｰ"],
      ["ユーザの一覧を表示する", "ユーザー"],
    ]),
    [],
  );
});

Deno.test("forms of Korean words match each other", async () => {
  assertEquals(
    await missed([
      ["어제 도서관에서 한국어를 공부했습니다", "공부하다", "공부해요", "도서관"],
      ["아침에 사과를 먹었어요", "먹다", "먹는", "사과는"],
      ["우리는 내년에 부산으로 갑니다", "가다", "갔습니다", "부산에서"],
      ["이 문제는 너무 어려워요", "어렵다", "문제를"],
    ]),
    [],
  );
});

Deno.test("snippets are cut around a compound", async () => {
  await loadLanguages();
  await using store = await TestStore.open();
  const filler = "Das ist ein Satz, in dem nichts von alledem vorkommt. ".repeat(15);
  store.addNote(`${filler}Der Mietvertrag liegt im Ordner. ${filler}`);
  const { results: [result] } = await new Searcher({ db: store.db }).search({
    query: "Vertrag",
    detail: "snippet",
  });
  assert(result?.text.includes("Mietvertrag"), result?.text);
});

Deno.test("the first note of a store may be in any language", async () => {
  await using store = await TestStore.open();
  for (const text of ["東京の天気", "Οι συναντήσεις γίνονται κάθε Δευτέρα", "안녕하세요 여러분"]) {
    assertEquals(store.addNote(text).status, "done", text);
  }
});

Deno.test("numbers match in the digits of every script", async () => {
  assertEquals(
    await missed([
      ["اجتماع مجلس الإدارة يوم الأحد القادم في القاعة رقم ٤٢ من المبنى", "42", "۴۲", "४२", "القاعة 42"],
      ["अगली बैठक सोमवार को सुबह कमरा १७ में होगी", "17", "कमरा 17", "١٧"],
      ["قرار است جلسهٔ بعدی روز دوشنبه در اتاق ۵۹ برگزار شود", "59", "٥٩"],
      ["The next meeting is in room 83 of the new building", "٨٣", "۸۳", "८३", "83", "room ８３"],
    ]),
    [],
  );
});

Deno.test("digits of other scripts match in a store of English text", async () => {
  assertEquals(
    await missed([["The next meeting is in room 83", "٨٣"], ["The last meeting was in room 38", "३८"]]),
    [],
  );
});

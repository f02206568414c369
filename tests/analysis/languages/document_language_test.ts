import { assert, assertEquals } from "@std/assert";
import { canSpell } from "../../../src/analysis/languages/alphabets.ts";
import { isPlainEnglish, languagesOf, loadLanguages } from "../../../src/analysis/mod.ts";
import { INFLECTIONS } from "./inflections.ts";

Deno.test("short notes get their language, or are uncertain, and always the stems of their language", async () => {
  await loadLanguages();
  const notes = Object.entries(INFLECTIONS).flatMap(([language, list]) =>
    list.map(([sentence]) => ({ language, sentence, found: languagesOf(sentence) }))
  );
  const isWrong = ({ language, found }: typeof notes[number]) =>
    found?.language && found.language !== language;
  assertEquals(notes.filter(isWrong).map(({ sentence }) => sentence), []);
  const lacksStems = ({ language, found }: typeof notes[number]) =>
    language !== "en" && !found?.stemmed.includes(language);
  assertEquals(notes.filter(lacksStems).map(({ sentence }) => sentence), []);
  const sure = notes.filter(({ found }) => found?.language);
  assert(sure.length >= 0.85 * notes.length, `${sure.length} of ${notes.length} are certain`);
});

const BY_SCRIPT: readonly (readonly [text: string, language: string | null, stemmed: string[]])[] = [
  ["彼は東京都に住んでいます", "ja", ["zh", "ja"]],
  ["我们每周一开会", "zh", ["zh"]],
  ["매주 월요일에 회의가 있습니다", "ko", ["ko"]],
  ["การประชุมทุกวันจันทร์", "th", []],
  ["ყოველ ორშაბათს გვაქვს შეხვედრა", "ka", []],
  ["", null, []],
  ["42 + 17 = 59 🎉", null, []],
];
for (const [text, language, stemmed] of BY_SCRIPT) {
  Deno.test(`the language of ${JSON.stringify(text)} is ${language}`, async () => {
    await loadLanguages();
    assertEquals(languagesOf(text), { language, stemmed });
  });
}

Deno.test("a text in two scripts has the stems of both", async () => {
  await loadLanguages();
  const text =
    "The meeting with the Greek office is on Monday: οι συναντήσεις γίνονται κάθε Δευτέρα, and it is short.";
  assertEquals(languagesOf(text), { language: "en", stemmed: ["el"] });
});

const LICENSE =
  "# You can use, copy and change this file, and you can pass it on with your changes, as long as this notice stays " +
  "in it. There is no warranty for it, and the authors are not liable for what you do with it or for any damage that " +
  "it does to your data.\n";
const WITH_NAMES: readonly (readonly [text: string, language: string])[] = [
  [
    "通常の認証は PAM (プラグ可能な認証モジュール) により pam_unix.so モジュールで提供される。/etc/passwd root root",
    "ja",
  ],
  ["编辑 /etc/network/interfaces 文件，然后用 systemctl restart networking 重新启动网络服务", "zh"],
  ["ติดตั้งแพ็กเกจด้วยคำสั่ง apt install openssh-server แล้วตรวจสอบการเชื่อมต่อ", "th"],
  ["The meeting with the office in Tokyo (東京都千代田区丸の内) is on Monday, and it is short.", "en"],
  [
    LICENSE +
    "Die Schlüssel der Häuser hängen über der Tür. Für Gäste öffnen wir die Küche früh, und die Bücher " +
    "müssen bis fünf Uhr zurück. Die Schränke prüft der Hausmeister regelmäßig. Größere Möbel gehören in den Keller. " +
    "Wer verreist, übergibt den Nachbarn die Blumen und bestellt die Zeitung ab. Fahrräder stehen nur im Hof, nicht im " +
    "Treppenhaus. Beschwerden über Lärm nimmt die Verwaltung schriftlich entgegen und beantwortet sie binnen einer Woche.",
    "de",
  ],
  [
    LICENSE + "The café on the corner opens at eight, and its naïve décor is what most of our guests like.",
    "en",
  ],
];
for (const [text, language] of WITH_NAMES) {
  Deno.test(`a text has the language of most of it: ${JSON.stringify(text)}`, async () => {
    await loadLanguages();
    assertEquals(languagesOf(text)?.language, language);
  });
}

Deno.test("plain English is recognized without tables, and other languages and code are not", () => {
  assert(isPlainEnglish("The invoices of the supplier are in the drawer – and it’s full."));
  assert(!isPlainEnglish("Die Rechnungen des Lieferanten liegen in der Schublade."));
  assert(!isPlainEnglish("De rekeningen zijn in de la van het bureau."));
  assert(!isPlainEnglish("server port 8080"));
  assert(!isPlainEnglish(""));
});

Deno.test("a language without a letter of the text is excluded", () => {
  assertEquals(["de", "sv", "da"].filter((language) => canSpell(language, ["bøger"])), ["da"]);
  assertEquals(["ru", "uk", "bg", "sr"].filter((language) => canSpell(language, ["ми", "її"])), ["uk"]);
  assert(canSpell("ru", ["server"]));
  assert(canSpell("en", ["naïve"]));
});

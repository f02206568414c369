/*
 * Letters of languages that share a script, as far as not all of them use the letter: Unicode CLDR, main
 * exemplar characters, with the accents of frequent loan words.
 */

/** Letters of the languages in Latin script beyond a to z. A language that is not listed may use any letter. */
const LATIN: Readonly<Record<string, string>> = {
  az: "çəğıöşü",
  ca: "àçèéíïòóúü",
  cs: "áčďéěíňóřšťúůýžöü",
  da: "æøåéáíóöäü",
  de: "äöüßéèàç",
  es: "áéíñóúü",
  et: "äõöüšž",
  eu: "ñçü",
  fi: "äöåšž",
  fr: "àâæçéèêëîïôœùûüÿ",
  hr: "čćđšž",
  hu: "áéíóöőúüű",
  id: "é",
  is: "áðéíóúýþæö",
  it: "àèéìíîòóùú",
  lt: "ąčęėįšųūž",
  lv: "āčēģīķļņšūž",
  nl: "áéëèêïíóöüúç",
  no: "æøåéòóôàèäö",
  pl: "ąćęłńóśźż",
  pt: "áâãàçéêíóôõúü",
  ro: "ăâîșțşţ",
  sk: "áäčďéíĺľňóôŕšťúýž",
  sl: "čćđšž",
  sq: "çë",
  sv: "åäöéàü",
  tl: "ñáéíóú",
  tr: "çğıöşüâîû",
};

/** Letters of the languages in Cyrillic script besides those that all of them use. */
const CYRILLIC: Readonly<Record<string, string>> = {
  be: "ёійўыьэюя",
  bg: "ийщъьюя",
  ru: "ёийщъыьэюя",
  sr: "иђјљњћџ",
  uk: "ґєиіїйщьюя",
};
/** Lower-case ASCII, which every listed language can spell. */
const PLAIN = /^[\0-@\[-\x7f]*$/;
const SHARED_CYRILLIC = /[абвгдежзклмнопрстуфхцчш]/gu;

/**
 * Whether a language has all letters of some words in lower case. Letters of other scripts do not count.
 */
export function canSpell(language: string, words: readonly string[]): boolean {
  const joined = words.join("");
  if (PLAIN.test(joined)) return true;
  const text = joined.normalize("NFC");
  const latin = LATIN[language];
  if (latin !== undefined) {
    return (text.match(/(?![a-z])\p{Script=Latin}/gu) ?? []).every((letter) => latin.includes(letter));
  }
  const cyrillic = CYRILLIC[language];
  if (cyrillic === undefined) return true;
  return (text.replace(SHARED_CYRILLIC, "").match(/\p{Script=Cyrillic}/gu) ?? [])
    .every((letter) => cyrillic.includes(letter));
}

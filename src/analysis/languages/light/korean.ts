/*
 * A light stemmer for Korean, on conjoining jamo (NFD): an ending may add a consonant to the last syllable of the
 * stem, as in 가다 (to go), 갑니다 and 갔다.
 */

/** Particles of nouns, the longest first. */
const PARTICLES =
  ("에서는 에서도 으로는 으로도 에게서 이라고 이라는 으로써 으로서 에서 에게 한테 까지 부터 보다 처럼 마다 " +
    "조차 밖에 이나 이랑 이며 라고 으로 은 는 이 가 을 를 에 의 도 만 와 과 랑 로").split(" ");

const nfd = (text: string) => text.normalize("NFD");

/** Final endings of verbs and adjectives. An ending that starts with a final consonant joins the stem. */
const ENDINGS = new RegExp(
  `(?:${
    nfd(
      "습니다 습니까 으십시오 십시오 으세요 세요 어요 아요 여요 네요 군요 나요 요 으니까 니까 으면서 면서 으면 면 " +
        "으려고 려고 으러 러 지만 는데 은데 어서 아서 여서 어도 아도 여도 거나 도록 는다 다고 다는 다 고 지 게 " +
        "기 자 는 은 을 던 음 어 아 여 서",
    ).split(" ").join("|")
  }|\u11b8${nfd("니다")}|\u11b8${nfd("니까")}|\u11ab${nfd("다")}|\u11ab${nfd("데")}|[\u11ab\u11af\u11b7])$`,
);
/** Suffixes of tense and politeness, before the ending. 시 alone may belong to the stem: 마시다. */
const TENSE = new RegExp(`(?:${nfd("었 았 였 겠 으시").split(" ").join("|")}|\u11bb)$`);
/** Contractions of the last vowel of a stem with an ending: 와 (오 + 아), 배워 (배우 + 어), 마셔, 해. */
const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`${nfd("하시")}$`), nfd("하")],
  [/\u116a$/, "\u1169"],
  [/\u116f$/, "\u116e"],
  [/\u1167$/, "\u1175"],
  [/\u116b$/, "\u116c"],
  [/\u1112\u1162$/, "\u1112\u1161"],
  // 어렵다 has the forms 어려워, 어려운.
  [/\u11b8$/, "\u110b\u116e"],
];
const HANGUL = /^[가-힣]{2,20}$/;
/** The verb "to do", which follows nouns: 공부하다. */
const TO_DO = nfd("하");

/**
 * Returns the stems of a Korean word, and the word itself: without a particle, and without the endings of a verb.
 *
 * @example
 * ```ts
 * import { koreanStems } from "./korean.ts";
 * import { assert } from "@std/assert";
 * for (const form of ["공부하다", "공부했습니다", "공부를"]) assert(koreanStems(form).includes("공부"));
 * ```
 */
export function koreanStems(word: string): string[] {
  if (!HANGUL.test(word)) return [];
  const stems = new Set([word]);
  const particle = PARTICLES.find((each) => word.length > each.length && word.endsWith(each));
  if (particle !== undefined) stems.add(word.slice(0, -particle.length));
  const verb = verbStem(word);
  if (verb !== undefined) stems.add(verb);
  // The syllable may be the honorific suffix, as in 가십니까, or belong to the stem.
  if (verb !== undefined && verb.length > 1 && verb.endsWith("시")) stems.add(verb.slice(0, -1));
  return [...stems];
}

function verbStem(word: string): string | undefined {
  const jamo = nfd(word);
  let stem = jamo.replace(ENDINGS, "");
  for (let n = 0; n < 2; n++) stem = stem.replace(TENSE, "");
  for (const [pattern, replacement] of CONTRACTIONS) stem = stem.replace(pattern, replacement);
  if (stem === jamo || stem === "") return undefined;
  return (stem.length > TO_DO.length && stem.endsWith(TO_DO) ? stem.slice(0, -TO_DO.length) : stem).normalize(
    "NFC",
  );
}

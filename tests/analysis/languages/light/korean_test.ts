import { assert, assertEquals } from "@std/assert";
import { koreanStems } from "../../../../src/analysis/languages/light/korean.ts";

/** Forms of one word each. */
const FORMS = [
  "공부하다 공부했습니다 공부합니다 공부해요 공부하는 공부할 공부를 공부하고 공부하지만 공부하십니다",
  "먹다 먹었습니다 먹어요 먹는 먹고 먹습니다 먹을",
  "가다 갔습니다 갑니다 가요 가는 갔다 가십니까",
  "배우다 배웠어요 배웁니다 배워요 배운",
  "마시다 마셨다 마십니다 마셔요",
  "어렵다 어려워요 어려운 어렵습니다",
  "오다 왔다 와요 옵니다",
  "되다 됐습니다 되었습니다 됩니다",
  "고양이 고양이가 고양이를 고양이는",
  "학교 학교에서 학교는 학교에 학교까지",
  "설정하다 설정을 설정했다 설정하세요",
];

Deno.test("all forms of a Korean word share a stem with the first one", () => {
  for (const group of FORMS) {
    const [first = "", ...others] = group.split(" ");
    const stems = new Set(koreanStems(first));
    for (const form of others) {
      assert(koreanStems(form).some((stem) => stems.has(stem)), `${form} of ${first}`);
    }
  }
});

Deno.test("stems are composed syllables, and other words have none", () => {
  for (const group of FORMS) {
    for (const form of group.split(" ")) {
      for (const stem of koreanStems(form)) assertEquals(stem, stem.normalize("NFC"));
    }
  }
  for (const word of ["", "가", "word", "東京", "가".repeat(21)]) assertEquals(koreanStems(word), [], word);
});

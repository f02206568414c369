import {
  learnSymbols,
  type SampleText,
  type SymbolTable,
} from "../../../../src/engine/sqlite/text_packing/mod.ts";
import { type Random, seededRandom } from "../../../support/random.ts";

const SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo ze sch tion ing er str an the ou qui ment al"
  .split(" ");

/** Words of a language that does not exist. */
const WORDS = wordsOf(seededRandom(1), 3000);

function wordsOf(random: Random, count: number): string[] {
  return Array.from(
    { length: count },
    () => Array.from({ length: 1 + random.int(4) }, () => random.pick(SYLLABLES)).join(""),
  );
}

/** Returns sentences of words, a few of which are frequent. */
export function prose(random: Random, words = 90): string {
  const next = () => WORDS[Math.floor(WORDS.length * random.next() ** 3)] ?? "";
  const texts = Array.from({ length: words }, (_, index) => index % 12 === 11 ? `${next()}. ` : `${next()} `);
  return texts.join("").trim();
}

/** Returns texts of documents, which have four of them each. */
export function proseSample(seed: number, count = 600): SampleText[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => ({ document: index >> 2, text: prose(random) }));
}

/** Learns symbols without a pause. */
export function learned(sample: readonly SampleText[]): SymbolTable {
  const steps = learnSymbols(sample);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

let table: SymbolTable | undefined;

/** Returns symbols of {@linkcode prose}. */
export function proseSymbols(): SymbolTable {
  return table ??= learned(proseSample(1));
}

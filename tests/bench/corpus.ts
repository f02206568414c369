import type { CorpusDocument } from "../engine/sqlite/search/corpus.ts";
import { seededRandom } from "../support/random.ts";

/**
 * Synthetic text with the statistics that matter for search: word frequencies by the Zipf–Mandelbrot law,
 * with English function words on the first ranks, documents about a topic, and lengths between one chunk and
 * thirty.
 */

const FUNCTION_WORDS =
  ("the of and to a in that is was for it on with as be by at he this had not are but from or have an they which one " +
    "you were all her she there would their we him been has when who will no more if out so up said what its about " +
    "than into them can only other time new some could these two may first then do any like my now over such our man " +
    "me even most made after also did many off before must well back through years much where your way down should " +
    "because long each just those people too how little state good world make very still see own men work here get")
    .split(" ");

const SYLLABLES =
  "ba be bi bo ca co cu da de di do fa fe fi ga go gra ha he hi ka ko la le li lo ma me mi mo na ne ni no pa pe pi po pra ra re ri ro sa se si so sta ta te ti to tra va ve vi vo wa za"
    .split(" ");
const ENDINGS = ["", "n", "r", "s", "l", "t", "ing", "ed", "tion", "er", "al", "ity", "ment", "ness", "ic"];

const VOCABULARY = 60_000;
const TOPICS = 300;
const TOPIC_WORDS = 250;

/**
 * Returns a sampler of ranks by the Zipf–Mandelbrot law, with probabilities proportional to 1 / (r + 2.7).
 */
function zipf(ranks: number, random: () => number): () => number {
  const cumulative = new Float64Array(ranks);
  let sum = 0;
  for (let rank = 0; rank < ranks; rank++) cumulative[rank] = sum += 1 / (rank + 2.7);
  return () => {
    const target = random() * sum;
    let low = 0;
    let high = ranks - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? Infinity) < target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** A generator of documents and realistic queries. */
export interface SyntheticText {
  /** Generates documents with `chunks` chunks in total. */
  documents(chunks: number): Generator<CorpusDocument>;
  /** Returns a keyword query: three content words of one topic. */
  keywords(): string;
  /** Returns a question of 5–12 words, about half of them function words. */
  question(): string;
}

/** Creates the generator for a seed; the same seed generates the same text. */
export function syntheticText(seed: number): SyntheticText {
  const { next: random } = seededRandom(seed);
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;

  const words = [...FUNCTION_WORDS];
  const known = new Set(words);
  while (words.length < VOCABULARY) {
    let word = "";
    for (let n = 2 + below(3); n > 0; n--) word += pick(SYLLABLES);
    word += pick(ENDINGS);
    if (known.has(word)) continue;
    known.add(word);
    words.push(word);
  }
  const anyRank = zipf(VOCABULARY, random);
  const topicRank = zipf(TOPIC_WORDS, random);
  // The words of a topic are distributed evenly over the logarithm of the rank.
  const topics = Array.from(
    { length: TOPICS },
    () =>
      Array.from(
        { length: TOPIC_WORDS },
        () => Math.floor(FUNCTION_WORDS.length * (VOCABULARY / FUNCTION_WORDS.length) ** random()),
      ),
  );
  const word = (topic: readonly number[]): string => {
    const rank = anyRank();
    const topical = rank >= FUNCTION_WORDS.length && random() < 0.4;
    return words[topical ? topic[topicRank()] ?? rank : rank] as string;
  };
  const contentWord = (topic: readonly number[]): string => {
    for (;;) {
      const candidate = word(topic);
      if (!FUNCTION_WORDS.includes(candidate)) return candidate;
    }
  };
  const phrase = (topic: readonly number[], length: number) =>
    Array.from({ length }, () => contentWord(topic)).join(" ");

  function text(topic: readonly number[], length: number): string {
    const sentences: string[] = [];
    for (let left = length; left > 0;) {
      const n = Math.min(left, 6 + below(18));
      sentences.push(Array.from({ length: n }, () => word(topic)).join(" ") + ".");
      left -= n;
    }
    return sentences.join(" ");
  }

  return {
    *documents(chunks) {
      for (let left = chunks, number = 0; left > 0; number++) {
        const topic = pick(topics);
        const count = Math.min(left, random() < 0.5 ? 1 : 1 + below(30));
        left -= count;
        const tags = [number % 2 ? "collection:documents" : "collection:memory", `topic-${number % 100}`];
        if (number % 2500 === 7) tags.push("rare");
        yield {
          title: phrase(topic, 3 + below(5)),
          chunks: Array.from({ length: count }, () => ({
            text: text(topic, count === 1 ? 20 + below(150) : 120 + below(90)),
            headings: [phrase(topic, 2 + below(3))],
          })),
          tags,
          docType: number % 3 ? "note" : "markdown",
          createdAt: new Date(Date.UTC(2025, 0, 1) + number * 3_600_000).toISOString(),
        };
      }
    },
    keywords: () => phrase(pick(topics), 3),
    question() {
      const topic = pick(topics);
      const length = 5 + below(8);
      const body = Array.from(
        { length: length - 2 },
        () => random() < 0.45 ? pick(FUNCTION_WORDS) : contentWord(topic),
      );
      return `${pick(["how does", "what is", "why do", "where can", "when did"])} ${body.join(" ")}?`;
    },
  };
}

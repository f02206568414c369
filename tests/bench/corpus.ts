import type { CorpusDocument } from "../engine/sqlite/search/corpus.ts";

/**
 * Synthetic text with the statistics that make search fast or slow: word frequencies after Zipf and Mandelbrot, with
 * English function words on the first ranks, documents about a topic, notes of one chunk beside reports of fifty.
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

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws ranks after Zipf and Mandelbrot: rank r with a probability that falls as 1 / (r + 2.7). */
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

/** A corpus and the queries that people would ask it. */
export interface SyntheticText {
  /** Documents with `chunks` chunks in all. */
  documents(chunks: number): Generator<CorpusDocument>;
  /** Three words of one document, without function words: what people type into a search box. */
  keywords(): string;
  /** A question of 5–12 words, about half of them function words. */
  question(): string;
}

/** Makes text from a seed; the same seed gives the same text. */
export function syntheticText(seed: number): SyntheticText {
  const random = seededRandom(seed);
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
  // A topic's words come from the whole vocabulary, evenly over the logarithm of the rank.
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

import { assert, assertEquals } from "@std/assert";
import { parseQuery } from "../../../src/engine/search/query.ts";
import { MAX_TERMS } from "../../../src/engine/search/query_terms.ts";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";
import type { Random } from "../../support/random.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

/** Maximum number of phrases, and of exclusions. */
const MAX_PHRASES = 16;
/** Maximum number of words of all terms: each costs a lookup in the index. */
const MAX_WORDS = 2048;

const FRAGMENTS = [
  ...[
    '"',
    "“",
    "«",
    "-",
    "- ",
    "--",
    "(",
    ")",
    "*",
    "^",
    ":",
    "title:",
    "{title} : ",
    "NEAR(a b, 2)",
    "AND",
    "OR",
  ],
  ...[
    "NOT ",
    "'",
    "''",
    "don't",
    "l'été",
    "foo_bar",
    "getUserName",
    "C++",
    "ERR-1234",
    "a.b.c",
    "/usr/lib",
    "\\",
  ],
  ...[
    "heron",
    "kettle",
    "green tea",
    "東京",
    "ไทย",
    "안녕",
    "🚀",
    "é",
    "e\u0301",
    "\u202e",
    "\0",
    "\ufeff",
    "\n",
    " ",
  ],
];

/**
 * No query causes an error in a real index: the response is 200, or 400 for a query that is too long or empty.
 * A parsed query has a bounded number of terms, phrases and words.
 */
export const query: FuzzTarget = {
  name: "query",
  iterations: 25,
  seeds: utf8([
    'kettle "green tea" -milk',
    "get_user_name(foo->bar)",
    '-"a b" -c',
    "東京タワー の高さ",
    "don't AND NEAR/2",
  ]),
  dictionary: utf8(FRAGMENTS),
  maxBytes: 2048,
  generate: (random) => utf8([generateQuery(random)])[0]!,
  async open(resources) {
    const engine = resources.use(await EmbeddedEngine.open());
    for (
      const text of [
        "A heron drinks green tea.",
        "getUserName in C++ and foo->bar",
        "東京タワーは高い。 don't",
      ]
    ) {
      await engine.ingest({ title: text.slice(0, 9), text });
    }
    return async (input) => {
      const texts = [new TextDecoder().decode(input)];
      // Two bytes a character: lone surrogates and characters of every script.
      if (input.length % 2 === 0) texts.push(new TextDecoder("utf-16le").decode(input));
      for (const text of texts) {
        checkParsed(text);
        for (const mode of ["fts", "hybrid"]) {
          const { status, body } = await engine.call("search", { body: { query: text, mode } });
          if (status !== 200) assertEquals([status, body.error.code], [400, "invalid"], body.error.message);
        }
      }
    };
  },
};

function checkParsed(text: string): void {
  const { terms, phrases, exclusions, identifiers } = parseQuery(text);
  const sizes = [terms.length, phrases.length, exclusions.length, identifiers.length];
  const limits = [MAX_TERMS, MAX_PHRASES, MAX_PHRASES, MAX_PHRASES];
  assert(sizes.every((size, index) => size <= limits[index]!), `sizes ${sizes} must be at most ${limits}`);
  const words = [...terms, ...phrases, ...exclusions].reduce((sum, { words }) => sum + words.length, 0);
  assert(words <= MAX_WORDS, `${words} words must be at most ${MAX_WORDS}`);
  assert(terms.every(({ weight }) => weight > 0), "every weight is positive");
}

function generateQuery(random: Random): string {
  const separators = ["", " ", " ", "\t"];
  return Array.from(
    { length: random.int(random.pick([4, 12, 200])) },
    () => random.pick(FRAGMENTS) + random.pick(separators),
  ).join("");
}

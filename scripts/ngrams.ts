/**
 * `deno task ngrams [PATH]`: writes the n-grams for language detection, from the npm package eld, to the module that
 * the program imports, or to PATH.
 *
 * The package itself takes 70 MB of memory, for the n-grams of all scripts; the detector needs those of the languages
 * that share a script. The task has a lock file of its own, because Deno downloads every package of `deno.lock` before
 * the program starts.
 *
 * @module
 */
import { deflateRawSync } from "node:zlib";

const OUTPUT = "src/analysis/languages/ngrams.ts";
const PACKAGE = "npm:eld@2.1.0";

/** Languages to detect by n-grams: those that share their script with others. Malay texts count as Indonesian. */
const DETECTED =
  ("ar az be bg ca cs da de en es et eu fa fi fr hi hr hu id is it lt lv mr nl no pl pt ro ru " +
    "sk sl sq sr sv tl tr uk ur vi").split(" ");

interface NgramData {
  readonly languages: Readonly<Record<number, string>>;
  readonly ngrams: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Packs n-grams as: length, bytes, number of scores, and a pair of language and score for each. */
function pack({ languages, ngrams }: NgramData, dictionary: readonly string[]): Uint8Array {
  // The package writes a byte from 0x80 as a character of its dictionary, possibly a capital letter.
  const byteOf = new Map(Array.from({ length: 128 }, (_, byte) => [String.fromCharCode(byte), byte]));
  for (const [byte, character] of dictionary.entries()) {
    if (character.trim() !== "") byteOf.set(character, byte);
  }
  const codeOf = (id: string) => {
    const code = languages[Number(id)] ?? "";
    return code === "ms" ? "id" : code;
  };
  const bytes: number[] = [];
  for (const ngram of Object.keys(ngrams).sort()) {
    const scores = Object.entries(ngrams[ngram] ?? {})
      .map(([id, score]) => [DETECTED.indexOf(codeOf(id)), score] as const)
      .filter(([language]) => language >= 0);
    if (scores.length === 0) continue;
    const key = Array.from(ngram, (character) => byteOf.get(character) ?? 0);
    bytes.push(key.length, ...key, scores.length, ...scores.flat());
  }
  return Uint8Array.from(bytes);
}

/** Imports the data of the package. Its API detects languages, but does not give access to the n-grams. */
async function ngramData(): Promise<{ data: NgramData; dictionary: readonly string[] }> {
  const entry = `${PACKAGE}/extrasmall`;
  // Downloads the package.
  await import(entry);
  const folder = new URL("../", import.meta.resolve(entry));
  const { ngramsData } = await import(new URL("ngrams/extrasmall.js", folder).href);
  const { dictionary } = await import(new URL("dictionary.js", folder).href);
  return { data: ngramsData, dictionary };
}

if (import.meta.main) {
  const { data, dictionary } = await ngramData();
  const base64 = new Uint8Array(deflateRawSync(pack(data, dictionary), { level: 9 })).toBase64();
  await Deno.writeTextFile(
    Deno.args[0] ?? OUTPUT,
    `// Generated from ${PACKAGE} (Apache-2.0) by \`deno task ngrams\`.\n// deno-fmt-ignore-file\n\n` +
      `/** Languages by their number in the data. */\nexport const LANGUAGES = "${DETECTED.join(" ")}";\n\n` +
      "/** N-grams by language; see detector.ts: compressed with deflate, in base64. */\n" +
      `export const DATA =\n  "${base64}";\n`,
  );
}

/**
 * `deno task languages`: writes the data of `src/analysis/languages/data` from published packages, each checked
 * against a pinned hash: the Snowball stemmers, n-grams for language detection, and stop words.
 *
 * @module
 */
import { deflateRawSync } from "node:zlib";

const FOLDER = "src/analysis/languages/data";

/** A package of the npm registry. */
interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** SHA-512 of the archive, in base64. */
  readonly sha512: string;
}

const SNOWBALL: Package = {
  name: "multilingual-stemmer",
  version: "2.1.1",
  license: "MIT, around Snowball 3.1.1, BSD-3-Clause",
  sha512: "fY+XKW/i83Q7YJc2oEmc9zzxfQJaKc5s7Bebae4dx99DsqBeu8hWGNhkj4UvRWuSC/26yj2uGcRTCIvxkxouRQ==",
};
const DETECTOR: Package = {
  name: "eld",
  version: "2.1.0",
  license: "Apache-2.0",
  sha512: "hDQ9FX17th7NDNMO8/St6m3ADQVqjF0sQoOHI6NUAxC7yDaPmZ9wC9d8zau/9FIqOV7KtNwrPKRt6fkkrzZj0g==",
};
const STOP_WORDS: Package = {
  name: "stopwords-iso",
  version: "1.1.0",
  license: "MIT",
  sha512: "I6GPS/E0zyieHehMRPQcqkiBMJKGgLta+1hREixhoLPqEA0AlVFiC43dl8uPpmkkeRdDMzYRWFWk5/l9x7nmNg==",
};
const HAN: Package = {
  name: "opencc-js",
  version: "1.4.2",
  license: "MIT, with data of OpenCC, Apache-2.0",
  sha512: "EdcspgdROiCCZDM+jZR6Pa670xW+EW2QhctPBQ8gRjg6lrx4IHEl+2s+kt5izk/TkxVRgdWuFgaGkaEdIUfdaw==",
};

/** Languages to detect by n-grams: those that share their script with others. Malay texts count as Indonesian. */
const DETECTED =
  ("ar az be bg ca cs da de en es et eu fa fi fr hi hr hu id is it lt lv mr nl no pl pt ro ru " +
    "sk sl sq sr sv tl tr uk ur vi").split(" ");
/** Languages with stop words: those with stems. English has its own list. */
const WITH_STOP_WORDS =
  ("ar bg ca cs da de el es et fa fi fr ga he hi hu hy id it lt nl no pl pt ro ru sv tr " +
    "uk").split(" ");

/** Returns the TypeScript modules by file name. */
export async function languageModules(): Promise<Map<string, string>> {
  const [snowball, detector, stopWords, han] = await Promise.all(
    [SNOWBALL, DETECTOR, STOP_WORDS, HAN].map(filesOf),
  );
  return new Map([
    [
      "snowball.ts",
      base64Module(SNOWBALL, "The Snowball stemmers, a WebAssembly module", stemmers(snowball)),
    ],
    ["ngrams.ts", base64Module(DETECTOR, "N-grams by language; see detector.ts", await ngrams(detector))],
    ["stop_words.ts", stopWordsModule(stopWords)],
    ["han.ts", await hanModule(han)],
  ]);
}

function stemmers(files: Files | undefined): Uint8Array {
  return read(files, "dist/browser/index_bg.wasm");
}

/** Packs n-grams as: length, bytes, number of scores, and a pair of language and score for each. */
async function ngrams(files: Files | undefined): Promise<Uint8Array> {
  const source = (path: string) => new TextDecoder().decode(read(files, path));
  const { ngramsData } = await evaluate(source("src/ngrams/extrasmall.js")) as { ngramsData: NgramData };
  const { dictionary } = await evaluate(source("src/dictionary.js")) as { dictionary: readonly string[] };
  // The package writes a byte from 0x80 as a character of its dictionary, possibly a capital letter.
  const byteOf = new Map(Array.from({ length: 128 }, (_, byte) => [String.fromCharCode(byte), byte]));
  for (const [byte, character] of dictionary.entries()) {
    if (character.trim() !== "") byteOf.set(character, byte);
  }
  const codeOf = (id: string) => {
    const code = ngramsData.languages[Number(id)] ?? "";
    return code === "ms" ? "id" : code;
  };
  const bytes: number[] = [];
  for (const ngram of Object.keys(ngramsData.ngrams).sort()) {
    const scores = Object.entries(ngramsData.ngrams[ngram] ?? {})
      .map(([id, score]) => [DETECTED.indexOf(codeOf(id)), score] as const)
      .filter(([language]) => language >= 0);
    if (scores.length === 0) continue;
    const key = Array.from(ngram, (character) => byteOf.get(character) ?? 0);
    bytes.push(key.length, ...key, scores.length, ...scores.flat());
  }
  return Uint8Array.from(bytes);
}

interface NgramData {
  readonly languages: Readonly<Record<number, string>>;
  readonly ngrams: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

function stopWordsModule(files: Files | undefined): string {
  const lists = JSON.parse(new TextDecoder().decode(read(files, "stopwords-iso.json"))) as Record<
    string,
    string[]
  >;
  const lines = WITH_STOP_WORDS.map((language) => {
    const words = (lists[language] ?? [])
      .map((word) => word.normalize("NFC").toLowerCase())
      // Some lists contain numbers, and phrases that no single word matches.
      .filter((word) => /^[\p{L}\p{M}]+$/u.test(word));
    return `  ${language}:\n    ${JSON.stringify([...new Set(words)].sort().join(" "))},`;
  });
  return `${header(STOP_WORDS)}\n/** Stop words by language, separated by spaces. */\n` +
    `export const STOP_WORDS: Readonly<Record<string, string>> = {\n${lines.join("\n")}\n};\n`;
}

async function hanModule(files: Files | undefined): Promise<string> {
  const source = new TextDecoder().decode(read(files, "dist/esm-lib/dict/TSCharacters.js"));
  const { default: list } = await evaluate(source) as { default: string };
  // The first of several simplified forms is the most frequent one.
  const pairs = list.split("|").map((entry) => [...entry.replace(" ", "")].slice(0, 2).join(""));
  const changed = pairs.filter((pair) => new Set(pair).size === 2);
  return `${header(HAN)}\n/** Traditional Chinese characters, each with its simplified form. */\n` +
    `export const SIMPLIFIED =\n  ${JSON.stringify(changed.join(" "))};\n`;
}

function base64Module(from: Package, what: string, bytes: Uint8Array): string {
  const languages = from === DETECTOR
    ? `\n/** Languages by their number in the data. */\nexport const LANGUAGES = ${
      JSON.stringify(DETECTED.join(" "))
    };\n`
    : "";
  const base64 = new Uint8Array(deflateRawSync(bytes, { level: 9 })).toBase64();
  return `${header(from)}${languages}\n/** ${what}: compressed with deflate, in base64. */\n` +
    `export const DATA =\n  "${base64}";\n`;
}

function header({ name, version, license }: Package): string {
  return `// Generated from npm:${name}@${version} (${license}) by \`deno task languages\`.\n` +
    "// deno-fmt-ignore-file\n";
}

type Files = ReadonlyMap<string, Uint8Array>;

/** Downloads a package and returns its files by path. */
async function filesOf({ name, version, sha512 }: Package): Promise<Files> {
  const registry = Deno.env.get("NPM_CONFIG_REGISTRY");
  if (!registry) {
    throw new Error("Cannot download packages: NPM_CONFIG_REGISTRY must be the URL of an npm registry");
  }
  const response = await fetch(`${registry.replace(/\/$/, "")}/${name}/-/${name}-${version}.tgz`);
  const archive = await response.bytes();
  const found = new Uint8Array(await crypto.subtle.digest("SHA-512", archive)).toBase64();
  if (found !== sha512) {
    throw new Error(`Cannot use ${name}@${version}: its SHA-512 must be ${sha512}, got ${found}`);
  }
  return untar(
    await new Response(new Blob([archive]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes(),
  );
}

/** Returns the files of a tar archive (POSIX ustar): a header of 512 bytes, then the content in blocks of 512. */
function untar(tar: Uint8Array): Files {
  const files = new Map<string, Uint8Array>();
  const text = (start: number, length: number) =>
    new TextDecoder().decode(tar.subarray(start, start + length)).replace(/\0.*$/s, "");
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
    const size = parseInt(text(at + 124, 12), 8);
    files.set(text(at, 100).replace(/^package\//, ""), tar.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

function read(files: Files | undefined, path: string): Uint8Array {
  const file = files?.get(path);
  if (!file) throw new Error(`Cannot read ${path}: the package does not contain it`);
  return file;
}

/** Evaluates a module without imports. */
async function evaluate(source: string): Promise<unknown> {
  return await import(`data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`);
}

if (import.meta.main) {
  for (const [name, source] of await languageModules()) await Deno.writeTextFile(`${FOLDER}/${name}`, source);
}

import { inflateRawSync } from "node:zlib";

/** Languages of the module by number: the order of `Languages` in multilingual-stemmer. */
const LANGUAGES =
  ("ar hy eu ca cs da nl en eo et fi fr de el hi hu id ga it lt ne no fa pl pt ro ru sr st es " +
    "sv ta tr yi").split(" ");

/** Exports of the module, with the names that wasm-bindgen gives them. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly stemmer_new: (language: number) => number;
  readonly stemmer_stem: (stemmer: number, text: number, length: number) => [text: number, length: number];
  readonly __wbindgen_malloc: (size: number, align: number) => number;
  readonly __wbindgen_free: (address: number, size: number, align: number) => void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The Snowball stemmers (https://snowballstem.org), compiled to WebAssembly. The module's own JavaScript reads
 * a file, which a bundle does not have, so that this class calls the exports itself.
 */
export class Snowball {
  readonly #exports: Exports;
  readonly #stemmers = new Map<string, number>();

  /** @param data The module, compressed with deflate, in base64. */
  constructor(data: string) {
    const module = new WebAssembly.Module(new Uint8Array(inflateRawSync(Uint8Array.fromBase64(data))));
    const imports: Record<string, Record<string, () => void>> = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      // One import prepares a table of JavaScript values, which no stemmer uses; the other one reports a panic.
      (imports[from] ??= {})[name] = name.includes("throw") ? panic : () => {};
    }
    this.#exports = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
  }

  /** Whether there is a stemmer for a language. */
  has(language: string): boolean {
    return LANGUAGES.includes(language);
  }

  /** Returns the stem of a word in lower case. */
  stem(word: string, language: string): string {
    const { memory, stemmer_new, stemmer_stem, __wbindgen_malloc, __wbindgen_free } = this.#exports;
    let stemmer = this.#stemmers.get(language);
    if (stemmer === undefined) {
      stemmer = stemmer_new(LANGUAGES.indexOf(language));
      this.#stemmers.set(language, stemmer);
    }
    const bytes = encoder.encode(word);
    // The stemmer frees the word.
    const address = __wbindgen_malloc(bytes.length, 1);
    new Uint8Array(memory.buffer, address, bytes.length).set(bytes);
    const [start, length] = stemmer_stem(stemmer, address, bytes.length);
    const stem = decoder.decode(new Uint8Array(memory.buffer, start, length));
    __wbindgen_free(start, length, 1);
    return stem;
  }
}

function panic(): never {
  throw new Error("Cannot stem a word: the stemmer has failed");
}

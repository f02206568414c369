import { lazy, normalizeUnicode } from "../text/mod.ts";

/*
 * Greek letters in science text, which others write by name: `PKCζ`, `PKC-zeta`, `PKC zeta`, `PKCzeta`.
 */

const NAMES: Readonly<Record<string, string>> = {
  α: "alpha",
  β: "beta",
  γ: "gamma",
  δ: "delta",
  ε: "epsilon",
  ζ: "zeta",
  η: "eta",
  θ: "theta",
  ι: "iota",
  κ: "kappa",
  λ: "lambda",
  μ: "mu",
  ν: "nu",
  ξ: "xi",
  π: "pi",
  ρ: "rho",
  σ: "sigma",
  τ: "tau",
  υ: "upsilon",
  φ: "phi",
  χ: "chi",
  ψ: "psi",
  ω: "omega",
};
const LETTERS = Object.keys(NAMES).join("");

/** Greek letters, and the symbols that NFKC maps to them. */
const HAS_GREEK = /[\u00b5\u0391-\u03f5\u2126\u2206]/;
/** A word of three letters, or with an accent: the text is in Greek. */
const GREEK_WORD = lazy(() => /\p{Script=Greek}{3}|[\u0386-\u0390\u03aa-\u03b0\u03ca-\u03ce]/u);
const greekLetter = lazy(() => new RegExp(`[${LETTERS}]`, "gu"));
/** Latin and Greek letters and digits, with hyphens between them. */
const words = lazy(() =>
  /(?<![\p{L}\p{N}\p{M}])[\p{Script=Latin}\p{Script=Greek}\p{N}]+(?:[-‐‑–][\p{Script=Latin}\p{Script=Greek}\p{N}]+)*(?![\p{L}\p{N}\p{M}])/gu
);
const latinLetter = lazy(() => /\p{Script=Latin}/u);
/** Words with more letters are sequences of symbols. */
const MAX_GREEK_LETTERS = 4;
const MAX_WORD_CHARS = 64;

/**
 * Returns the subwords, in lower case, of words that contain a Greek letter: `PKCζ` has pkc and zeta, `IL-1β` has
 * il, 1 and beta. A letter alone has its name. Greek text has none.
 *
 * @param text Original text.
 *
 * @example
 * ```ts
 * import { greekSubwords } from "./greek_letters.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(greekSubwords("TNF-α and PKCζ"), [["tnf", "alpha"], ["pkc", "zeta"]]);
 * assertEquals(greekSubwords("η Αθήνα"), []);
 * ```
 */
export function greekSubwords(text: string): string[][] {
  if (!HAS_GREEK.test(text)) return [];
  const folded = normalizeUnicode(normalizeUnicode(text, "NFKD"), "NFC").replaceAll("\u2206", "δ")
    .toLowerCase()
    .replaceAll("ς", "σ");
  if (GREEK_WORD().test(folded) || !(latinLetter().test(folded) || isSingleLetter(folded))) return [];
  const found = new Map<string, string[]>();
  for (const [word] of folded.matchAll(words())) {
    const letters = word.match(greekLetter())?.length ?? 0;
    if (letters === 0 || letters > MAX_GREEK_LETTERS || word.length > MAX_WORD_CHARS) continue;
    const subwords = word.replace(greekLetter(), (letter) => ` ${NAMES[letter]} `).split(/[\s‐‑–-]+/u).filter(
      Boolean,
    );
    found.set(word, subwords);
  }
  return [...found.values()];
}

function isSingleLetter(text: string): boolean {
  return [...text.trim()].length === 1;
}

const spelledLetter = lazy(() =>
  new RegExp(`^([\\p{Lu}\\p{N}]{2,})(${Object.values(NAMES).join("|")})([\\p{Lu}\\p{N}]*)$`, "u")
);

/** Returns the subwords of an acronym joined to the name of a Greek letter, such as `PKCzeta` or `NFkappaB`. */
export function spelledGreekSubwords(word: string): string[] | undefined {
  const parts = spelledLetter().exec(word)?.slice(1).filter(Boolean);
  return parts?.map((part) => part.toLowerCase());
}

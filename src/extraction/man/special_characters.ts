/** Characters by their names in groff (groff_char(7)), as pairs. */
const NAMES =
  "bu • em — en – aq ' cq ’ oq ‘ lq “ rq ” dq \" ha ^ ti ~ rs \\ co © de ° pd ∂ ga ` aa ´ sl / bv | ba | or | hy ‐ mi − ul _ ru _ " +
  "** * pl + +- ± -+ ∓ mu × tmu × di ÷ >= ≥ <= ≤ != ≠ == ≡ =~ ≅ ap ∼ ~~ ≈ ~= ≅ -> → <- ← <> ↔ ua ↑ da ↓ lA ⇐ rA ⇒ hA ⇔ " +
  "Fo « Fc » fo ‹ fc › Bq „ bq ‚ at @ sh # Do $ dg † dd ‡ sc § ps ¶ rg ® tm ™ Eu € eu € Po £ Ye ¥ ct ¢ Cs ¤ 12 ½ 14 ¼ 34 ¾ " +
  "S1 ¹ S2 ² S3 ³ if ∞ sr √ sum ∑ product ∏ integral ∫ es ∅ mo ∈ nm ∉ sb ⊂ sp ⊃ ca ∩ cu ∪ fa ∀ te ∃ no ¬ tno ¬ AN ∧ OR ∨ " +
  "lB [ rB ] lC { rC } la ⟨ ra ⟩ lt ⎧ ci ○ sq □ OK ✓ Of ª Om º r! ¡ r? ¿ fm ′ sd ″ mc µ pc · md ⋅ %0 ‰ " +
  "ss ß ae æ AE Æ oe œ OE Œ oa å oA Å /o ø /O Ø /l ł /L Ł -d đ -D Đ Sd ð TP Þ Tp þ .i ı IJ Ĳ ij ĳ " +
  "*a α *b β *g γ *d δ *e ε *z ζ *y η *h θ *i ι *k κ *l λ *m μ *n ν *c ξ *o ο *p π *r ρ *s σ *t τ *u υ *f φ *x χ *q ψ *w ω " +
  "*G Γ *D Δ *H Θ *L Λ *C Ξ *P Π *S Σ *F Φ *Q Ψ *W Ω ts ς";

const CHARACTERS: ReadonlyMap<string, string> = new Map(
  [...NAMES.matchAll(/(\S+) (\S+)(?: |$)/g)].map(([, name, character]) => [name!, character!]),
);
const ACCENTS: Readonly<Record<string, string>> = {
  "'": "\u0301",
  "`": "\u0300",
  "^": "\u0302",
  "~": "\u0303",
  ":": "\u0308",
  ",": "\u0327",
  v: "\u030c",
};

/** Returns the character of `\(bu` or `\[u2022]` by its name; an empty string for an unknown one. */
export function specialCharacter(name: string): string {
  const known = CHARACTERS.get(name);
  if (known !== undefined) return known;
  const codes = /^u([0-9A-F]{4,6}(?:_[0-9A-F]{4,6}){0,4})$/.exec(name)?.[1]?.split("_").map((hex) =>
    parseInt(hex, 16)
  );
  if (codes) {
    return codes.every((code) => code <= 0x10ffff) ? String.fromCodePoint(...codes).normalize("NFC") : "";
  }
  const decimal = /^char(\d{1,3})$/.exec(name)?.[1];
  if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
  const [accent = "", letter = ""] = name;
  if (name.length === 2 && Object.hasOwn(ACCENTS, accent) && /[A-Za-z]/.test(letter)) {
    return `${letter}${ACCENTS[accent]}`.normalize("NFC");
  }
  return name.length === 1 ? name : "";
}

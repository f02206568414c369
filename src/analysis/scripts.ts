const scripts = (names: string) => names.split(" ").map((name) => `\\p{Script_Extensions=${name}}`).join("");
/** Scripts indexed as bigrams, as the inside of a character class. */
export const BIGRAM_SCRIPTS = scripts("Han Hira Kana Bopo Hang Yi");
/** Scripts indexed as trigrams, as the inside of a character class: their words are longer. */
export const TRIGRAM_SCRIPTS = scripts("Thai Laoo Khmr Mymr Lana Tale Talu");

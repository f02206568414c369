/**
 * A number with a separator between groups of three digits or without, and with decimals or without. Not a part of a
 * word, a date or an address such as 10.0.0.1.
 */
const NUMBER =
  /(?<![\p{L}\p{N}]|[\p{L}\p{N}][.,'’:/_#-])(?:(?<digits>\d{4,15})(?:[.,](?<decimals>\d{1,2}))?|(?<grouped>\d{1,3}(?<separator>[.,'’])\d{3}(?:\k<separator>\d{3})*)(?:(?!\k<separator>)[.,](?<more>\d{1,2}))?)(?![\p{L}\p{N}]|[.,'’:/-]\d)/gu;

/** Four digits that are rather a year than a number. */
const YEAR = /^(?:1[5-9]|20)\d\d$/;

/**
 * Returns the words of the other spellings of the numbers in a text: `1,249.90`, `1.249,90` and `1'249.90` are the words
 * 1, 249 and 90 to the index, but `1249,90` is 1249 and 90.
 *
 * @param text A word of a query, with punctuation.
 *
 * @example
 * ```ts
 * import { numberForms } from "./number_forms.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(numberForms("1249,90"), [["1", "249", "90"]]);
 * assertEquals(numberForms("€1,249.90"), [["1249", "90"]]);
 * assertEquals(numberForms("2026"), []);
 * ```
 */
export function numberForms(text: string): string[][] {
  const forms: string[][] = [];
  for (const { groups = {} } of text.matchAll(NUMBER)) {
    const { digits, grouped = "", decimals = groups["more"] } = groups as Record<string, string | undefined>;
    if (digits !== undefined && decimals === undefined && YEAR.test(digits)) continue;
    const integer = digits === undefined ? [grouped.replace(/\D/g, "")] : digits.split(/(?=(?:\d{3})+$)/);
    forms.push(decimals === undefined ? integer : [...integer, decimals]);
  }
  return forms;
}

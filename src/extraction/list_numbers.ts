const ROMAN: readonly (readonly [number, string])[] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];

/**
 * Writes the number of a list item in a format of Office Open XML (`lowerLetter`, `upperRoman`); unknown formats as
 * decimal numbers.
 */
export function formatNumber(value: number, format: string): string {
  if (value < 1 || value > 3_999) return String(value);
  switch (format) {
    case "lowerRoman":
      return roman(value);
    case "upperRoman":
      return roman(value).toUpperCase();
    case "lowerLetter":
      return letters(value);
    case "upperLetter":
      return letters(value).toUpperCase();
    case "decimalZero":
      return String(value).padStart(2, "0");
    default:
      return String(value);
  }
}

function roman(value: number): string {
  let text = "";
  for (const [amount, digits] of ROMAN) {
    for (; value >= amount; value -= amount) text += digits;
  }
  return text;
}

/** a to z, then aa to zz, as word processors count. */
function letters(value: number): string {
  return String.fromCharCode(97 + (value - 1) % 26).repeat(Math.ceil(value / 26));
}

import type { SSF } from "@e965/xlsx";

/**
 * Formats of Excel whose order depends on the country of the reader, as ISO 8601: short date, and date with time
 * (ECMA-376 part 1 §18.8.30).
 */
const LOCAL_DATES: ReadonlyMap<number, string> = new Map([[14, "yyyy-mm-dd"], [22, "yyyy-mm-dd hh:mm"]]);

/**
 * Returns a number without a format of its own with all of its digits; `undefined` for a very large or small one. Excel
 * shows as many digits as fit into the column, and `1.23457E+12` for the number of a product.
 */
export function generalNumber(value: number): string | undefined {
  const size = Math.abs(value);
  if (value !== 0 && !(size >= 1e-5 && size < 1e15)) return undefined;
  return String(Number(value.toPrecision(15)));
}

/** Shows numbers as a spreadsheet does. */
export class NumberFormatter {
  readonly #library: typeof SSF;
  readonly #date1904: boolean;

  private constructor(library: typeof SSF, date1904: boolean) {
    this.#library = library;
    this.#date1904 = date1904;
  }

  /** @param date1904 Whether dates count from 1904 instead of 1900. */
  static async create(date1904: boolean): Promise<NumberFormatter> {
    return new NumberFormatter((await import("@e965/xlsx")).SSF, date1904);
  }

  /**
   * Formats a number by a format code, or by the number of a built-in one. A value that its format hides is shown in
   * the general format.
   */
  format(value: number, code: string | number): string {
    if (!Number.isFinite(value)) return String(value);
    const general = code === 0 || code === "General" ? generalNumber(value) : undefined;
    if (general !== undefined) return general;
    try {
      const pattern = typeof code === "number" ? LOCAL_DATES.get(code) ?? code : code;
      const text = this.#library.format(pattern, value, { date1904: this.#date1904 }).trim();
      return text === "" ? String(value) : text;
    } catch {
      return String(value);
    }
  }
}

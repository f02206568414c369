import { readLines } from "./export/manifest.ts";

/** A line of a file of JSON lines, by its number from 1. */
export type JsonLine =
  & { readonly number: number }
  & ({ readonly value: unknown } | { readonly error: string });

/** Reads a file of JSON lines. Empty lines are left out. */
export async function* jsonLines(path: string): AsyncGenerator<JsonLine> {
  let number = 0;
  for await (const line of readLines(path)) {
    number++;
    const text = number === 1 ? line.replace(/^\ufeff/, "") : line;
    if (text.trim() === "") continue;
    try {
      yield { number, value: JSON.parse(text) };
    } catch {
      yield { number, error: "It must be one JSON object" };
    }
  }
}

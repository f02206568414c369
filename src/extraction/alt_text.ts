import { oneLine } from "./whitespace.ts";

/** Returns the description of a picture, unless it is the name of its file or empty. */
export function altText(description: string | undefined): string | undefined {
  const text = oneLine(description ?? "");
  return text === "" || /^(?:\S+\.(?:png|jpe?g|gif|emf|wmf|bmp|tiff?|svg)|https?:\/\/\S+)$/i.test(text)
    ? undefined
    : text;
}

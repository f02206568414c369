import { noText } from "../errors.ts";
import { normalizeText, tooLongText } from "../normalize.ts";
import type { ExtractionContext } from "../types.ts";

/** Collects the text of a workbook. */
export class SheetWriter {
  readonly #context: Pick<ExtractionContext, "name" | "maxTextChars">;
  readonly #parts: string[] = [];
  #length = 0;
  #reserved = 0;

  constructor(context: Pick<ExtractionContext, "name" | "maxTextChars">) {
    this.#context = context;
  }

  /** Adds lines, normalized. @throws {ExtractionError} `too_large` */
  write(text: string): void {
    const { name, maxTextChars } = this.#context;
    this.#length += text.length;
    if (this.#length > maxTextChars) throw tooLongText(name);
    this.#parts.push(normalizeText(text));
  }

  /** Counts text that will be written. @throws {ExtractionError} `too_large` */
  reserve(chars: number): void {
    this.#reserved += chars;
    if (this.#reserved > this.#context.maxTextChars) throw tooLongText(this.#context.name);
  }

  /** Returns the whole text. @throws {ExtractionError} `no_text` if it has no letter or digit. */
  finish(): string {
    const hasText = this.#parts.some((part) => /[\p{L}\p{N}\p{S}]/u.test(part.replace(/^## .*$/gm, "")));
    if (!hasText) {
      throw noText(
        this.#context.name,
        "its cells are empty",
        "upload a file with text or numbers in its cells",
      );
    }
    return `${this.#parts.join("").trimEnd()}\n`;
  }
}

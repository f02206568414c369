import { EvaluationError } from "./errors.ts";

/** Maximum length of a line, in UTF-16 code units: a line is a whole document. */
const MAX_LINE_CHARS = 16 * 2 ** 20;

/** A line of a text file that is not blank. */
export interface Line {
  /** Content without the line break. */
  readonly text: string;
  /** `FILE line N`, for messages. */
  readonly location: string;
}

/**
 * Reads a UTF-8 file line by line, without blank lines.
 *
 * @throws {EvaluationError} When the file cannot be read or is not UTF-8, or a line is longer than 16 Mi
 * characters.
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let number = 0;
  const line = (text: string): Line => ({
    text: text.replace(/\r$/, ""),
    location: `${path} line ${++number}`,
  });
  let rest = "";
  try {
    using file = await Deno.open(path);
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const buffer = new Uint8Array(256 * 1024);
    for (let read; (read = await file.read(buffer)) !== null;) {
      rest += decoder.decode(buffer.subarray(0, read), { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MAX_LINE_CHARS) {
        throw new EvaluationError(
          `${path} line ${number + lines.length + 1} must have at most ${MAX_LINE_CHARS} characters`,
        );
      }
      for (const text of lines) {
        const next = line(text);
        if (next.text.trim() !== "") yield next;
      }
    }
    rest += decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) {
      throw new EvaluationError(`${path} must be UTF-8 text, but is not after line ${number}`, {
        cause: error,
      });
    }
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) {
      throw new EvaluationError(`${path} must be a readable file`, { cause: error });
    }
    throw error;
  }
  if (rest.trim() !== "") yield line(rest);
}

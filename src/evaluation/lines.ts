import { EvalError } from "./errors.ts";

/** Longest line, in UTF-16 code units: a document is one line. */
const MAX_LINE = 16 * 2 ** 20;

/** A line of a file that has something in it. */
export interface Line {
  /** Without its line break. */
  readonly text: string;
  /** `FILE line N`, for messages. */
  readonly place: string;
}

/**
 * The lines of a UTF-8 file, one at a time, blank ones left out.
 *
 * @throws {EvalError} When the file cannot be read or is not UTF-8, or a line is longer than 16 Mi characters.
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let number = 0;
  const line = (text: string): Line => ({ text: text.replace(/\r$/, ""), place: `${path} line ${++number}` });
  let rest = "";
  try {
    using file = await Deno.open(path);
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const buffer = new Uint8Array(256 * 1024);
    for (let read; (read = await file.read(buffer)) !== null;) {
      rest += decoder.decode(buffer.subarray(0, read), { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MAX_LINE) {
        throw new EvalError(
          `${path} line ${number + lines.length + 1} must have at most ${MAX_LINE} characters`,
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
      throw new EvalError(`${path} must be UTF-8 text, and is not after line ${number}`, { cause: error });
    }
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) {
      throw new EvalError(`${path} must be a readable file`, { cause: error });
    }
    throw error;
  }
  if (rest.trim() !== "") yield line(rest);
}

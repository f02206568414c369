import { ConfigError } from "../../config/mod.ts";
import { MAX_NOTE_CHARS } from "../../contract/mod.ts";
import { systemReason } from "../../text/mod.ts";

/** Maximum size of a note in bytes: UTF-8 has at most three for a UTF-16 code unit. */
const MAX_BYTES = 3 * MAX_NOTE_CHARS;

/** Where the text of a note comes from. */
export interface TextSource {
  /** The argument; `-` is standard input. */
  readonly text: string | undefined;
  readonly file: string | undefined;
}

/**
 * Returns the text of a note: the argument, the file, or standard input.
 *
 * @throws {ConfigError} Unless there is exactly one text, in UTF-8 and not blank.
 */
export async function readNoteText({ text, file }: TextSource): Promise<string> {
  if (text !== undefined && file !== undefined) {
    throw new ConfigError("The text must be given as an argument or with --file, not both");
  }
  if (file === undefined && text === undefined && Deno.stdin.isTerminal()) {
    throw new ConfigError(
      "The text is missing: pass it as an argument, with --file FILE, or on standard input",
    );
  }
  const read = file === undefined && text !== undefined && text !== "-"
    ? text
    : await readUtf8(file ?? "standard input", file);
  if (/\S/.test(read)) return read;
  throw new ConfigError("The text of a note must not be empty");
}

async function readUtf8(name: string, file: string | undefined): Promise<string> {
  const bytes: number[] | Uint8Array[] = [];
  let size = 0;
  try {
    using source = file === undefined ? undefined : await Deno.open(file);
    for await (const chunk of (source ?? Deno.stdin).readable.values({ preventCancel: true })) {
      size += chunk.length;
      if (size > MAX_BYTES) break;
      (bytes as Uint8Array[]).push(chunk);
    }
  } catch (cause) {
    throw new ConfigError(`Cannot read ${name}: ${systemReason(cause)}`, { cause });
  }
  if (size > MAX_BYTES) {
    throw new ConfigError(
      `A note must have at most ${MAX_NOTE_CHARS} characters: add a larger file with kb-mcp add`,
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      await new Blob(bytes as Uint8Array<ArrayBuffer>[]).bytes(),
    );
  } catch (cause) {
    throw new ConfigError(`${name} must be UTF-8 text: add another file with kb-mcp add`, { cause });
  }
}

import type { Colors } from "picocolors/types.js";
import pc from "picocolors";
import { visibleText } from "../../text/mod.ts";
import { formatJson } from "../format.ts";

/** Options of {@linkcode Output}. */
export interface OutputOptions {
  /** Writes to standard output. */
  readonly print: (text: string) => void;
  /** Writes a message to standard error. */
  readonly printError: (text: string) => void;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Whether to print JSON. Default: unless standard output is a terminal. */
  readonly json?: boolean | undefined;
  /** Whether to use colours. @default {false} */
  readonly color?: boolean | undefined;
  /** Width of the terminal. @default {80} */
  readonly columns?: number | undefined;
}

/**
 * Standard output of a command: text for people, or JSON for programs.
 *
 * Threat: titles and texts of documents come from anyone. Control characters in them could move the cursor, hide lines
 * or set the terminal's title, and bidirectional controls could reorder a line, so text is printed without them, and
 * JSON with escapes.
 */
export class Output {
  readonly isJson: boolean;
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Colours, which return their text unchanged if they are off. */
  readonly colors: Colors;
  readonly #print: (text: string) => void;
  readonly #printError: (text: string) => void;

  constructor(
    { print, printError, isTerminal, json = !isTerminal, color = false, columns = 80 }: OutputOptions,
  ) {
    this.isJson = json;
    this.isTerminal = isTerminal;
    this.columns = columns;
    this.colors = pc.createColors(color && !json);
    this.#print = print;
    this.#printError = printError;
  }

  /** Whether a person sees the progress of a command, on standard error. */
  get showsProgress(): boolean {
    return this.isTerminal && !this.isJson && Deno.stderr.isTerminal();
  }

  /** Prints a value as indented JSON. */
  json(value: unknown): void {
    this.#print(formatJson(value));
  }

  /** Prints lines that this program has written, with its colours. */
  lines(...lines: readonly string[]): void {
    if (lines.length > 0) this.#print(`${lines.join("\n")}\n`);
  }

  /** Prints a document's text as it is, without control and invisible characters. */
  text(text: string): void {
    const visible = visibleText(text);
    this.#print(visible.endsWith("\n") ? visible : `${visible}\n`);
  }

  /** Prints bytes of a document for another program; on a terminal like {@linkcode text}. */
  raw(text: string): void {
    if (this.isTerminal) this.text(text);
    else this.#print(text);
  }

  /** Prints a message on standard error. */
  error(message: string): void {
    this.#printError(visibleText(message));
  }
}

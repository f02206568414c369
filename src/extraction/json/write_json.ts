import { checkLength, normalizeText } from "../normalize.ts";
import type { ExtractionContext, OutlineEntry } from "../types.ts";
import { NumericLists } from "./numeric_lists.ts";

/** Maximum number of keys in a path: those of a value that is nested deeper are its innermost ones. */
const MAX_PATH_KEYS = 8;
/** Encoded binary data has at least this many characters. */
const MIN_ENCODED_CHARS = 256;

/** A value to write, with the keys that lead to it. */
interface Pending {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Whether an empty line separates the value from those before it. */
  readonly isRecord: boolean;
}

/** Writes JSON values as lines `path: value`, without recursion. */
export class JsonWriter {
  readonly #context: Pick<ExtractionContext, "name" | "maxTextChars">;
  readonly #parts: string[] = [];
  readonly #outline: OutlineEntry[] = [];
  readonly #numericLists = new NumericLists();
  #length = 0;

  /** @param context Name of the file, for errors, and the maximum length. */
  constructor(context: Pick<ExtractionContext, "name" | "maxTextChars">) {
    this.#context = context;
  }

  /** Writes a whole document. The keys of an object whose values are objects or lists become headings. */
  write(value: unknown): void {
    if (!isObject(value)) return this.#writeTree({ path: [], value, isRecord: false });
    for (const [key, child] of Object.entries(value)) {
      const isSection = isObject(child) || this.#isList(child);
      if (isSection) this.#separate();
      const start = this.#length;
      this.#writeTree(
        { path: isSection && this.#isList(child) ? [] : [key], value: child, isRecord: false },
        key,
      );
      if (isSection && this.#length > start) this.#outline.push({ start, level: 1, title: key });
    }
  }

  /** Writes a record, with an empty line before it. */
  writeRecord(value: unknown): void {
    this.#writeTree({ path: [], value, isRecord: true });
  }

  /** Writes a line that is no JSON. */
  writeText(line: string): void {
    this.#line(line);
  }

  /** Returns the text with its headings. */
  result(): { text: string; outline: OutlineEntry[] } {
    return { text: this.#parts.join(""), outline: this.#outline };
  }

  #writeTree(root: Pending, section?: string): void {
    // Last in, first out: children are added in reverse.
    const pending = [root];
    if (section !== undefined && root.path.length === 0) this.#line(`${section}:`);
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { path, value, isRecord } = next;
      if (isRecord) this.#separate();
      if (isObject(value)) {
        const entries = Object.entries(value);
        for (let i = entries.length - 1; i >= 0; i--) {
          const [key, child] = entries[i]!;
          pending.push({ path: extend(path, key), value: child, isRecord: false });
        }
      } else if (this.#isList(value)) {
        const isTop = path.length === 0;
        for (let i = value.length - 1; i >= 0; i--) {
          pending.push({
            path: isTop ? path : extend(path.slice(0, -1), `${path.at(-1)}[${i}]`),
            value: value[i],
            isRecord: isTop,
          });
        }
      } else this.#scalar(path, value);
    }
  }

  /** Whether a value is a list whose items need lines of their own. */
  #isList(value: unknown): value is unknown[] {
    return Array.isArray(value) && value.some((item) => typeof item === "object" || isLong(item)) &&
      !this.#numericLists.has(value);
  }

  #scalar(path: readonly string[], value: unknown): void {
    const text = Array.isArray(value) ? listText(value) : scalarText(value);
    const key = path.join(".");
    this.#line(key === "" ? text : `${key}: ${text}`);
  }

  #separate(): void {
    if (this.#length > 0 && !this.#parts.at(-1)!.endsWith("\n\n")) this.#append("\n");
  }

  #line(text: string): void {
    this.#append(`${normalizeText(text)}\n`);
  }

  #append(text: string): void {
    this.#length += text.length;
    checkLength(this.#length, this.#context);
    this.#parts.push(text);
  }
}

function extend(path: readonly string[], key: string): string[] {
  return [...path, key].slice(-MAX_PATH_KEYS);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isLong(value: unknown): boolean {
  return typeof value === "string" && value.length > 200;
}

function listText(list: readonly unknown[]): string {
  const texts: string[] = [];
  // Last in, first out, without recursion, as lists may be nested to any depth.
  const pending = list.toReversed();
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) { for (let i = next.length - 1; i >= 0; i--) pending.push(next[i]); }
    else texts.push(scalarText(next));
  }
  return texts.join(", ");
}

function scalarText(value: unknown): string {
  if (typeof value !== "string") return String(value);
  const isEncoded = value.length >= MIN_ENCODED_CHARS &&
    /^(?:data:[\w\/+.;=-]{0,100},)?[\w+\/-]{200,}={0,2}$/.test(value.slice(0, 4096).replace(/\n/g, ""));
  return isEncoded ? `(${value.length} characters of encoded data)` : value;
}

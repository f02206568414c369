import type { MarkdownWriter } from "../markdown/writer.ts";
import { decodeSymbols } from "../symbol_fonts.ts";
import { CHARSETS, decodeCodePage } from "../encoding/office_code_pages.ts";
import { CHARACTERS, type Destination, DESTINATIONS } from "./destinations.ts";
import { RtfBlocks } from "./blocks.ts";
import { readTokens } from "./tokens.ts";

/** Maximum number of open groups; each has a state. */
const MAX_GROUPS = 10_000;

/** State of a group; a copy of the outer one when it starts. */
interface GroupState {
  destination: Destination;
  /** Whether the destination starts with this group. */
  isEntered: boolean;
  font: number;
  /** Number of characters that replace one of `\u`. */
  fallbackChars: number;
  isHidden: boolean;
}

/** A font of the font table. */
interface RtfFont {
  codePage: number | undefined;
  name: string;
}

/** Result of {@linkcode readRtf}. */
export interface RtfResult {
  /** Properties of the document, not yet cleaned. */
  readonly properties: ReadonlyMap<string, string>;
  /** Whether the file ends inside of a group. */
  readonly isTruncated: boolean;
}

/** Converts RTF to Markdown (RTF 1.9.1). Pictures and embedded objects are skipped. */
export function readRtf(bytes: Uint8Array, writer: MarkdownWriter): RtfResult {
  const reader = new RtfReader(writer);
  return reader.read(bytes);
}

class RtfReader {
  readonly #blocks: RtfBlocks;
  readonly #fonts = new Map<number, RtfFont>();
  readonly #properties = new Map<string, string>();
  readonly #stack: GroupState[] = [];
  #state: GroupState = {
    destination: "body",
    isEntered: false,
    font: -1,
    fallbackChars: 1,
    isHidden: false,
  };
  #defaultFont = -1;
  #codePage = 1252;
  /** Bytes of text that have not been decoded: characters of two bytes can be in two tokens. */
  #bytes: Uint8Array[] = [];
  /** Number of characters to skip: they replace a character of `\u`. */
  #skip = 0;
  /** Whether the group has just started, or an ignorable destination follows. */
  #isGroupStart = false;
  #isIgnorable = false;
  #style = { number: 0, name: "" };

  constructor(writer: MarkdownWriter) {
    this.#blocks = new RtfBlocks(writer);
  }

  read(bytes: Uint8Array): RtfResult {
    for (const token of readTokens(bytes)) {
      if (token.kind === "text") {
        this.#text(token.bytes);
        continue;
      }
      if (token.kind === "open") this.#open();
      else if (token.kind === "close") this.#close();
      else if (token.kind === "symbol") this.#symbol(token.symbol);
      else this.#word(token.word, token.value);
      if (token.kind !== "open" && !(token.kind === "symbol" && token.symbol === "*")) {
        this.#isGroupStart = false;
      }
    }
    this.#flush();
    const isTruncated = this.#stack.length > 0;
    while (this.#stack.length > 0) this.#close();
    this.#blocks.finish();
    return { properties: this.#properties, isTruncated };
  }

  #open(): void {
    this.#flush();
    if (this.#stack.length >= MAX_GROUPS) {
      throw new RangeError(`groups must be nested at most ${MAX_GROUPS} deep`);
    }
    this.#stack.push(this.#state);
    this.#state = { ...this.#state, isEntered: false };
    this.#isGroupStart = true;
    this.#isIgnorable = false;
    this.#skip = 0;
  }

  #close(): void {
    this.#flush();
    const { destination, isEntered } = this.#state;
    const outer = this.#stack.pop();
    if (!outer) return;
    if (isEntered) this.#blocks.leave(destination);
    this.#state = outer;
    this.#skip = 0;
  }

  #symbol(symbol: string): void {
    if (symbol === "*" && this.#isGroupStart) {
      this.#isIgnorable = true;
    } else if (symbol === "\n" || symbol === "\r") {
      this.#paragraphEnd();
    } else {
      const text = SYMBOLS.get(symbol);
      if (text !== undefined) this.#character(text);
    }
  }

  #word(word: string, value: number | undefined): void {
    if (this.#isGroupStart && this.#startsDestination(word)) return;
    const state = this.#state;
    const character = CHARACTERS.get(word);
    if (character !== undefined) return this.#character(character);
    switch (word) {
      case "u":
        this.#flush();
        this.#add(String.fromCharCode((value ?? 0) & 0xffff));
        this.#skip = state.fallbackChars;
        return;
      case "uc":
        state.fallbackChars = Math.max(value ?? 1, 0);
        return;
      case "par":
      case "sect":
      case "page":
      case "column":
        return this.#paragraphEnd();
      case "f":
        this.#flush();
        state.font = value ?? -1;
        if (state.destination === "fonts") this.#fonts.set(state.font, { codePage: undefined, name: "" });
        return;
      case "deff":
        this.#defaultFont = value ?? -1;
        return;
      case "fcharset":
        return this.#setFont({ codePage: value === 0 || value === 1 ? undefined : CHARSETS[value ?? 1] });
      case "cpg":
        return this.#setFont({ codePage: value });
      case "ansicpg":
        this.#codePage = value || 1252;
        return;
      case "mac":
        this.#codePage = 10000;
        return;
      case "pc":
        this.#codePage = 437;
        return;
      case "pca":
        this.#codePage = 850;
        return;
      case "v":
      case "deleted":
        this.#flush();
        state.isHidden = value !== 0;
        return;
      case "plain":
        this.#flush();
        state.isHidden = false;
        state.font = this.#defaultFont;
        return;
      case "s":
        this.#style = { number: value ?? 0, name: "" };
        break;
      case "yr":
      case "mo":
      case "dy":
      case "hr":
      case "min":
        if (state.destination.startsWith("property:")) this.#addToProperty(`${word}${value ?? 0} `);
        return;
      case "ftnalt":
        return;
    }
    if (state.destination === "skip" || state.destination === "fonts") return;
    this.#flush();
    if (state.destination !== "styles") this.#blocks.control(word, value);
  }

  /** Starts a destination with the first word of a group, if it is one. */
  #startsDestination(word: string): boolean {
    const state = this.#state;
    let destination = DESTINATIONS.get(word);
    if (destination === undefined && this.#isIgnorable) destination = "skip";
    // Properties of equations: `\mfPr`, `\mctrlPr`.
    if (destination === undefined && /^m[a-zA-Z]*Pr$/.test(word)) destination = "skip";
    if (destination === undefined) return false;
    // The text without Unicode characters precedes the destination `\ud` with them.
    if (word === "upr") state.destination = "skip";
    else if (word === "ud") state.destination = this.#stack.at(-2)?.destination ?? "body";
    if (state.destination === "skip" || destination === "body") return true;
    state.destination = destination;
    state.isEntered = destination !== "skip";
    if (state.isEntered) this.#blocks.enter(destination);
    return true;
  }

  #setFont(change: Partial<RtfFont>): void {
    const font = this.#fonts.get(this.#state.font);
    if (font && this.#state.destination === "fonts") Object.assign(font, change);
  }

  #text(bytes: Uint8Array): void {
    let start = 0;
    if (this.#skip > 0) {
      start = Math.min(this.#skip, bytes.length);
      this.#skip -= start;
    }
    if (start < bytes.length && this.#state.destination !== "skip") this.#bytes.push(bytes.subarray(start));
  }

  #character(text: string): void {
    if (this.#skip > 0) {
      this.#skip--;
      return;
    }
    this.#flush();
    this.#add(text);
  }

  /** Decodes the collected bytes in the code page of the font. */
  #flush(): void {
    if (this.#bytes.length === 0) return;
    const bytes = concat(this.#bytes);
    this.#bytes = [];
    const font = this.#fonts.get(this.#state.font) ?? this.#fonts.get(this.#defaultFont);
    if (font && /^(?:symbol|wingdings)/i.test(font.name) && this.#state.destination !== "fonts") {
      this.#add(decodeSymbols(String.fromCharCode(...bytes.subarray(0, 65_536)), font.name));
    } else {
      this.#add(decodeCodePage(bytes, font?.codePage ?? this.#codePage));
    }
  }

  #add(text: string): void {
    const { destination, isHidden } = this.#state;
    if (destination === "fonts") {
      const font = this.#fonts.get(this.#state.font);
      if (font) font.name = `${font.name}${text}`.slice(0, 100);
    } else if (destination === "styles") {
      this.#style.name = `${this.#style.name}${text}`.slice(0, 200);
      if (text.includes(";")) {
        this.#blocks.defineStyle(this.#style.number, this.#style.name.split(";")[0]!.trim());
      }
    } else if (destination.startsWith("property:")) {
      this.#addToProperty(text);
    } else if (destination !== "skip" && destination !== "info" && !isHidden) {
      this.#blocks.text(text);
    }
  }

  #addToProperty(text: string): void {
    const key = this.#state.destination.slice("property:".length);
    this.#properties.set(key, `${this.#properties.get(key) ?? ""}${text}`.slice(0, 4_000));
  }

  #paragraphEnd(): void {
    this.#flush();
    if (this.#state.destination !== "skip") this.#blocks.paragraphEnd();
  }
}

/** Characters of control symbols. */
const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ["~", "\u00a0"],
  ["_", "\u2011"],
  ["-", ""],
  ["\\", "\\"],
  ["{", "{"],
  ["}", "}"],
  ["\t", "\t"],
]);

function concat(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

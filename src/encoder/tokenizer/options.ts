import { TokenizerError } from "./errors.ts";

/** Options of every tokenizer. */
export interface CommonTokenizerOptions {
  /** Token of text that the vocabulary does not cover. */
  readonly unknown: string;
  /** Token at the start of an input. */
  readonly start: string;
  /** Token at the end of an input. */
  readonly end: string;
  /** Tokens that are recognized verbatim in a text. */
  readonly special: readonly string[];
}

/** Options of a WordPiece tokenizer, as in the header of a model file. */
export interface WordPieceOptions extends CommonTokenizerOptions {
  readonly type: "wordpiece";
  readonly lowercase: boolean;
  /** Whether to remove accents and other nonspacing marks. */
  readonly strip_accents: boolean;
  /** Whether each Chinese character is a word. */
  readonly split_chinese: boolean;
}

/** Options of a Unigram tokenizer, as in the header of a model file. */
export interface UnigramOptions extends CommonTokenizerOptions {
  readonly type: "unigram";
  /** Special tokens that remove the white space before them. */
  readonly lstrip: readonly string[];
  /** Where words end: at white space, or at spaces only, which then are part of the tokens. */
  readonly pre_tokenizer: "whitespace_metaspace" | "metaspace";
  /** Whether several spaces count as one. */
  readonly collapse_spaces: boolean;
  /** Whether white space at the end is removed. */
  readonly trim_end: boolean;
}

/** Options of a tokenizer, as in the header of a model file. */
export type TokenizerOptions = WordPieceOptions | UnigramOptions;

/**
 * Checks options read from a file.
 *
 * @throws {TokenizerError} `options` if a field is missing or has a wrong type.
 */
export function parseTokenizerOptions(value: unknown): TokenizerOptions {
  if (typeof value !== "object" || value === null) throw invalid("tokenizer", "an object", value);
  const fields = value as Readonly<Record<string, unknown>>;
  const common = {
    unknown: text(fields, "unknown"),
    start: text(fields, "start"),
    end: text(fields, "end"),
    special: texts(fields, "special"),
  };
  switch (fields.type) {
    case "wordpiece":
      return {
        type: "wordpiece",
        ...common,
        lowercase: flag(fields, "lowercase"),
        strip_accents: flag(fields, "strip_accents"),
        split_chinese: flag(fields, "split_chinese"),
      };
    case "unigram":
      return {
        type: "unigram",
        ...common,
        lstrip: texts(fields, "lstrip"),
        pre_tokenizer: preTokenizer(fields.pre_tokenizer),
        collapse_spaces: flag(fields, "collapse_spaces"),
        trim_end: flag(fields, "trim_end"),
      };
    default:
      throw invalid("tokenizer.type", '"wordpiece" or "unigram"', fields.type);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function flag(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (typeof value !== "boolean") throw invalid(`tokenizer.${name}`, "a boolean", value);
  return value;
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (!isText(value)) throw invalid(`tokenizer.${name}`, "a non-empty string", value);
  return value;
}

/** Maximum number of special tokens: models have about five, and one pattern matches them all. */
const MAX_SPECIAL_TOKENS = 1000;

function texts(fields: Fields, name: string): readonly string[] {
  const value = fields[name];
  if (!Array.isArray(value) || value.length > MAX_SPECIAL_TOKENS || !value.every(isText)) {
    throw invalid(`tokenizer.${name}`, `an array of at most ${MAX_SPECIAL_TOKENS} non-empty strings`, value);
  }
  return value;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function preTokenizer(value: unknown): UnigramOptions["pre_tokenizer"] {
  if (value === "whitespace_metaspace" || value === "metaspace") return value;
  throw invalid("tokenizer.pre_tokenizer", '"whitespace_metaspace" or "metaspace"', value);
}

function invalid(field: string, requirement: string, value: unknown): TokenizerError {
  const got = JSON.stringify(value)?.slice(0, 100) ?? "nothing";
  return new TokenizerError("options", `${field} must be ${requirement}, got ${got}`);
}

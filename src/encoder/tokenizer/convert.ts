import { TokenizerError } from "./errors.ts";
import type { TokenizerOptions } from "./options.ts";
import { encodeUnigramVocabulary } from "./unigram_vocabulary.ts";

/** A tokenizer in the form of a model file. */
export interface ConvertedTokenizer {
  /** Section `tokenizer` of the header. */
  readonly header: TokenizerOptions;
  readonly vocabulary: Uint8Array<ArrayBuffer>;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Converts a `tokenizer.json` of the Hugging Face library `tokenizers`.
 *
 * @param json Text of the file.
 * @throws {TokenizerError} `options` if the file is damaged, or for a tokenizer other than the WordPiece of BERT
 * and the Unigram of XLM-RoBERTa: no other one would give the ids that the model was trained with.
 */
export function convertTokenizer(json: string): ConvertedTokenizer {
  const tokenizer = object(parse(json), "tokenizer.json");
  const model = object(tokenizer.model, "model");
  switch (model.type) {
    case "WordPiece":
      return convertWordPiece(tokenizer, model);
    case "Unigram":
      return convertUnigram(tokenizer, model);
    default:
      throw unsupported("model.type", '"WordPiece" or "Unigram"', model.type);
  }
}

function convertWordPiece(tokenizer: Json, model: Json): ConvertedTokenizer {
  expect(model.continuing_subword_prefix, "##", "model.continuing_subword_prefix");
  expect(model.max_input_chars_per_word, 100, "model.max_input_chars_per_word");
  const normalizer = object(tokenizer.normalizer, "normalizer");
  expect(normalizer.type, "BertNormalizer", "normalizer.type");
  expect(normalizer.clean_text, true, "normalizer.clean_text");
  expect(object(tokenizer.pre_tokenizer, "pre_tokenizer").type, "BertPreTokenizer", "pre_tokenizer.type");
  const tokens = tokensOf(object(model.vocab, "model.vocab"));
  const added = addSpecialTokens(tokenizer, tokens);
  expect(added.some(({ lstrip }) => lstrip), false, "added_tokens.lstrip");
  const lowercase = boolean(normalizer.lowercase, "normalizer.lowercase");
  return {
    header: {
      type: "wordpiece",
      lowercase,
      strip_accents: boolean(normalizer.strip_accents ?? lowercase, "normalizer.strip_accents"),
      split_chinese: boolean(normalizer.handle_chinese_chars, "normalizer.handle_chinese_chars"),
      unknown: string(model.unk_token, "model.unk_token"),
      ...template(tokenizer),
      special: added.map(({ content }) => content),
    },
    vocabulary: new TextEncoder().encode(`${tokens.join("\n")}\n`),
  };
}

function convertUnigram(tokenizer: Json, model: Json): ConvertedTokenizer {
  expect(model.byte_fallback ?? false, false, "model.byte_fallback");
  const pairs = array(model.vocab, "model.vocab").map((pair) => array(pair, "model.vocab"));
  const tokens = pairs.map(([token]) => string(token, "model.vocab"));
  const unknown = typeof model.unk_id === "number" ? tokens[model.unk_id] : undefined;
  if (unknown === undefined) throw unsupported("model.unk_id", "the id of a token", model.unk_id);
  const added = addSpecialTokens(tokenizer, tokens);
  const { charsmap, collapseSpaces, trimEnd } = normalization(tokenizer.normalizer);
  return {
    header: {
      type: "unigram",
      unknown,
      ...template(tokenizer),
      special: added.map(({ content }) => content),
      lstrip: added.filter(({ lstrip }) => lstrip).map(({ content }) => content),
      pre_tokenizer: preTokenizer(tokenizer.pre_tokenizer),
      collapse_spaces: collapseSpaces,
      trim_end: trimEnd,
    },
    vocabulary: encodeUnigramVocabulary({
      tokens,
      // Added tokens occur as special tokens only, never with a score.
      scores: tokens.map((_, id) => referenceScore(Number(pairs[id]?.[1] ?? 0))),
      charsmap,
    }),
  };
}

/**
 * Returns a score as the reference reads it. Its parser (`serde_json`) divides the digits by a power of ten, which
 * changes the last bit of every fourth score; that decides between segmentations of equal probability.
 */
function referenceScore(score: number): number {
  const [digits = "", decimals = ""] = String(score).split(".");
  return /^\d+$/.test(decimals) ? Number(digits + decimals) / 10 ** decimals.length : score;
}

/** Returns tokens in the order of their ids, which must be consecutive. */
function tokensOf(vocabulary: Json): string[] {
  const tokens = Object.entries(vocabulary).sort(([, a], [, b]) => Number(a) - Number(b));
  const hole = tokens.findIndex(([, id], index) => id !== index);
  if (hole >= 0) throw unsupported("model.vocab", `numbered from 0 without a gap at ${hole}`, tokens[hole]);
  return tokens.map(([token]) => token);
}

interface AddedToken {
  readonly content: string;
  readonly lstrip: boolean;
}

/** Returns the added tokens, and adds those that the vocabulary lacks to it. */
function addSpecialTokens(tokenizer: Json, tokens: string[]): AddedToken[] {
  return array(tokenizer.added_tokens, "added_tokens").map((each) => {
    const { content, id, lstrip, ...added } = object(each, "added_tokens");
    for (const name of ["single_word", "rstrip", "normalized"]) {
      expect(added[name], false, `added_tokens.${name}`);
    }
    const text = string(content, "added_tokens.content");
    if (id === tokens.length) tokens.push(text);
    expect(tokens[Number(id)], text, `added_tokens: token ${id}`);
    return { content: text, lstrip: boolean(lstrip, "added_tokens.lstrip") };
  });
}

/** Returns the tokens around an input. */
function template(tokenizer: Json): { start: string; end: string } {
  const processor = object(tokenizer.post_processor, "post_processor");
  if (processor.type === "BertProcessing" || processor.type === "RobertaProcessing") {
    const [start] = array(processor.cls, "post_processor.cls");
    const [end] = array(processor.sep, "post_processor.sep");
    return { start: string(start, "post_processor.cls"), end: string(end, "post_processor.sep") };
  }
  expect(processor.type, "TemplateProcessing", "post_processor.type");
  const items = array(processor.single, "post_processor.single").map((item) =>
    object(item, "post_processor.single")
  );
  const [start, text, end] = items;
  if (items.length !== 3 || text?.Sequence === undefined) {
    throw unsupported("post_processor.single", "a special token, the text and a special token", items);
  }
  const idOf = (item: Json | undefined) => {
    const token = object(item?.SpecialToken, "post_processor.single");
    return string(token.id, "post_processor.single");
  };
  return { start: idOf(start), end: idOf(end) };
}

/** Reads the normalizer of a Unigram tokenizer. */
function normalization(value: unknown): { charsmap: Uint8Array; collapseSpaces: boolean; trimEnd: boolean } {
  const normalizer = object(value, "normalizer");
  const steps = normalizer.type === "Sequence"
    ? array(normalizer.normalizers, "normalizer.normalizers").map((step) => object(step, "normalizer"))
    : [normalizer];
  let charsmap: Uint8Array = new Uint8Array();
  let collapseSpaces = false;
  let trimEnd = false;
  for (const step of steps) {
    switch (step.type) {
      case "Precompiled":
        charsmap = Uint8Array.fromBase64(
          string(step.precompiled_charsmap, "normalizer.precompiled_charsmap"),
        );
        break;
      case "Replace":
        // Later versions write the metaspace at once, which gives the same words.
        expect(object(step.pattern, "normalizer.pattern").Regex, " {2,}", "normalizer.pattern");
        if (step.content !== "▁") expect(step.content, " ", "normalizer.content");
        collapseSpaces = true;
        break;
      case "Strip":
        expect(step.strip_left, false, "normalizer.strip_left");
        trimEnd = boolean(step.strip_right, "normalizer.strip_right");
        break;
      default:
        throw unsupported("normalizer.type", '"Precompiled", "Replace" or "Strip"', step.type);
    }
  }
  return { charsmap, collapseSpaces, trimEnd };
}

function preTokenizer(value: unknown): "whitespace_metaspace" | "metaspace" {
  const preTokenizer = object(value, "pre_tokenizer");
  const steps = preTokenizer.type === "Sequence"
    ? array(preTokenizer.pretokenizers, "pre_tokenizer.pretokenizers").map((step) =>
      object(step, "pre_tokenizer")
    )
    : [preTokenizer];
  const metaspace = steps.at(-1);
  expect(metaspace?.type, "Metaspace", "pre_tokenizer.type");
  expect(metaspace?.replacement, "▁", "pre_tokenizer.replacement");
  expect(metaspace?.prepend_scheme ?? "always", "always", "pre_tokenizer.prepend_scheme");
  expect(metaspace?.add_prefix_space ?? true, true, "pre_tokenizer.add_prefix_space");
  expect(metaspace?.split ?? true, true, "pre_tokenizer.split");
  if (steps.length === 1) return "metaspace";
  expect(steps.map(({ type }) => type).join(), "WhitespaceSplit,Metaspace", "pre_tokenizer");
  return "whitespace_metaspace";
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new TokenizerError("options", "tokenizer.json must be JSON", { cause });
  }
}

function object(value: unknown, field: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw unsupported(field, "an object", value);
}

function array(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw unsupported(field, "an array", value);
}

function string(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  throw unsupported(field, "a string", value);
}

function boolean(value: unknown, field: string): boolean {
  if (typeof value === "boolean") return value;
  throw unsupported(field, "a boolean", value);
}

function expect(value: unknown, expected: unknown, field: string): void {
  if (value !== expected) throw unsupported(field, JSON.stringify(expected), value);
}

function unsupported(field: string, requirement: string, value: unknown): TokenizerError {
  const got = JSON.stringify(value)?.slice(0, 100) ?? "nothing";
  return new TokenizerError("options", `${field} of tokenizer.json must be ${requirement}, got ${got}`);
}

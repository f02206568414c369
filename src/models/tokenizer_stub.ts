/** Until src/encoder/tokenizer has landed. */
export function convertTokenizer(json: string): { header: Record<string, unknown>; vocabulary: Uint8Array } {
  const { model, normalizer, added_tokens } = JSON.parse(json);
  if (model.type !== "WordPiece") throw new Error("Unigram tokenizers are not supported yet");
  const tokens: string[] = [];
  for (const [token, id] of Object.entries<number>(model.vocab)) tokens[id] = token;
  const header = {
    type: "wordpiece",
    lowercase: normalizer.lowercase,
    strip_accents: normalizer.strip_accents ?? normalizer.lowercase,
    split_chinese: normalizer.handle_chinese_chars,
    unknown: model.unk_token,
    start: "[CLS]",
    end: "[SEP]",
    special: added_tokens.map(({ content }: { content: string }) => content),
  };
  return { header, vocabulary: new TextEncoder().encode(tokens.map((token) => `${token}\n`).join("")) };
}

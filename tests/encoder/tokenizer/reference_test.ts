import { assertEquals } from "@std/assert";
import { readModelFile } from "../../../src/encoder/mod.ts";
import { convertTokenizer, createTokenizer, type Tokenizer } from "../../../src/encoder/tokenizer/mod.ts";
import { testWithModel } from "../../support/real_model.ts";
import texts from "./reference/texts.json" with { type: "json" };
import unigramIds from "./reference/unigram_ids.json" with { type: "json" };
import unigram from "./reference/unigram_tokenizer.json" with { type: "json" };
import wordPieceIds from "./reference/wordpiece_ids.json" with { type: "json" };

function idsOf(tokenizer: Tokenizer): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, tokenizer.encode(text, 512).join(" ")]),
  );
}

Deno.test("Unigram gives the ids of the reference in 40 scripts", () => {
  const { header, vocabulary } = convertTokenizer(JSON.stringify(unigram));
  assertEquals(idsOf(createTokenizer(header, vocabulary)), unigramIds);
});

testWithModel(
  "the tokenizer of the built-in model gives the ids of the reference in 40 scripts",
  async () => {
    const bytes = await Deno.readFile(new URL("../../../models/all-MiniLM-L6-v2.kbmodel", import.meta.url));
    const { header, vocabulary } = readModelFile(bytes);
    assertEquals(idsOf(createTokenizer(header.tokenizer, vocabulary)), wordPieceIds);
  },
);

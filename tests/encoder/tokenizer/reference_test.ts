import { assert, assertEquals } from "@std/assert";
import { readModelFile } from "../../../src/encoder/mod.ts";
import { createTokenizer } from "../../../src/encoder/tokenizer/mod.ts";
import { testWithModel } from "../../support/real_model.ts";
import ids from "./reference/ids.json" with { type: "json" };
import texts from "./reference/texts.json" with { type: "json" };

testWithModel(
  "the tokenizer of the built-in model gives the ids of the reference in 40 scripts",
  async () => {
    const bytes = await Deno.readFile(new URL("../../../models/all-MiniLM-L6-v2.kbmodel", import.meta.url));
    const { header, vocabulary } = readModelFile(bytes);
    const tokenizer = createTokenizer(header.tokenizer, vocabulary);
    const found = Object.entries(texts).map(([name, text]) => [name, tokenizer.encode(text, 512).join(" ")]);
    assert(found.length >= 40);
    assertEquals(Object.fromEntries(found), ids);
  },
);

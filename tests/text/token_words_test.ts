import { assert, assertEquals } from "@std/assert";
import { runCommand } from "../../scripts/run_command.ts";
import { addWord, hasWord } from "../../src/text/word_filter.ts";
import { read } from "../packaging/repository.ts";

Deno.test("a filter has the words that were added, and few others", () => {
  const filter = new Uint8Array(1000);
  for (let n = 0; n < 1000; n++) addWord(filter, `word${n}`);
  const count = (prefix: string) =>
    Array.from({ length: 1000 }, (_, n) => hasWord(filter, `${prefix}${n}`)).filter(Boolean).length;
  assertEquals(count("word"), 1000);
  assert(count("other") < 50, `${count("other")}`);
});

Deno.test("the words are those of the vocabulary", async () => {
  const path = await Deno.makeTempFile({ prefix: "kb-mcp-words-" });
  try {
    const { code, output } = await runCommand(["deno", "task", "words", path]);
    assertEquals(code, 0, output);
    const isSame = await Deno.readTextFile(path) === await read("src/text/token_words.ts");
    assertEquals(isSame, true, "run `deno task words`");
  } finally {
    await Deno.remove(path);
  }
});

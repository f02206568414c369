import { assertEquals } from "@std/assert";
import { runCommand } from "../../../scripts/run_command.ts";
import { read } from "../../packaging/repository.ts";

Deno.test("the n-grams are those of their package", async () => {
  const path = await Deno.makeTempFile({ prefix: "kb-mcp-ngrams-" });
  try {
    const { code, output } = await runCommand(["deno", "task", "ngrams", path]);
    assertEquals(code, 0, output);
    const isSame = await Deno.readTextFile(path) === await read("src/analysis/languages/ngrams.ts");
    assertEquals(isSame, true, "run `deno task ngrams`");
  } finally {
    await Deno.remove(path);
  }
});

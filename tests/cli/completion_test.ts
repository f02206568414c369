import { assertEquals, assertStringIncludes } from "@std/assert";
import { runCommand } from "./run_command.ts";

/** Completes the last word of a command line in a real bash. */
async function complete(script: string, words: string[]): Promise<string[]> {
  const call =
    'shift 0; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kb_mcp; printf "%s\\n" "${COMPREPLY[@]}"';
  const { stdout, stderr } = await new Deno.Command("bash", {
    args: ["--norc", "-c", `${script}\n${call}`, "bash", ...words],
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout).trim().split("\n");
}

Deno.test({
  name: "bash completes commands, options and values",
  ignore: Deno.build.os === "windows",
  async fn() {
    const { stdout: script } = await runCommand(["completion", "bash"]);
    assertEquals(await complete(script, ["kb-mcp", "sea"]), ["search"]);
    assertEquals(await complete(script, ["kb-mcp", "model", "ins"]), ["install"]);
    assertEquals(await complete(script, ["kb-mcp", "--config", "x", "search", "--mod"]), ["--mode"]);
    assertEquals(await complete(script, ["kb-mcp", "search", "--mode", ""]), ["hybrid", "fts", "vector"]);
    assertEquals(await complete(script, ["kb-mcp", "serve", "--log-level", "w"]), ["warn"]);
  },
});

Deno.test("every shell has a script with all commands, and no other shell", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await runCommand(["completion", shell]);
    assertEquals(code, 0);
    for (const word of ["search", "doctor", "install", "embeddings-model"]) {
      assertStringIncludes(stdout, word);
    }
    assertEquals(stdout.includes("undefined"), false);
  }
  assertEquals((await runCommand(["completion", "tcsh"])).code, 64);
});

import { assert, assertEquals } from "@std/assert";
import { matchesOutput, parseTranscript } from "./transcript.ts";

Deno.test("other code blocks of a tutorial are not commands", () => {
  assertEquals(parseTranscript("```sh\n$ rm x\n```\n$ rm y\n```console\n$ ls\na\n\nb\n```\n"), [
    { line: 6, command: "ls", output: "a\n\nb" },
  ]);
});

Deno.test("an output matches only as a whole, with … for any text", () => {
  assert(matchesOutput("", ""));
  assert(!matchesOutput("", "warning"));
  assert(matchesOutput("a.b (…)", "a.b (1.2 s)\n"));
  assert(!matchesOutput("a.b", "axb"));
  assert(!matchesOutput("a", "a\nb"));
  assert(matchesOutput("a\n…", "a\nb\nc"));
  assert(matchesOutput("a\n…\nc", "a\nc"));
});

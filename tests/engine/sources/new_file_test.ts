import { assertEquals } from "@std/assert";
import { newFileNames } from "../../../src/engine/sources/new_file.ts";

Deno.test("the name of a new file has the letters and digits of its title, without marks of their own", () => {
  const nameOf = (title: string) => newFileNames(title, "2026-11-22").next().value;
  for (
    const [title, name] of [
      ["Wine ❤️ List", "wine-list"],
      ["1️⃣ First: step", "1-first-step"],
      ["☀️", "note"],
      ["नमस्ते दुनिया", "नमस्ते-दुनिया"],
      ["Cafe\u0301 #2", "café-2"],
      ["a/../b", "a-b"],
    ]
  ) {
    assertEquals(nameOf(title!), `2026-11-22-${name}.md`);
  }
});

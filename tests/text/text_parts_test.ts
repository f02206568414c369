import { assert, assertEquals } from "@std/assert";
import { joinBytes, joinText, lengthOf, type Text } from "../../src/text/mod.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("text in parts is the same as in one part, as text and as bytes", () => {
  const text = '{"a":"… 🌱"}';
  const forms: Text[] = [text, [text], [encode(text)], ['{"a":', encode('"… 🌱"'), "}"], [
    encode('{"a":"…'),
    ' 🌱"}',
  ]];
  for (const form of forms) {
    assertEquals(joinText(form), text);
    assert(lengthOf(form) >= text.length);
    assertEquals(joinBytes(form), encode(text));
  }
  assertEquals([joinText([]), joinBytes([]).length], ["", 0]);
});

import { assertEquals } from "@std/assert";
import { Actor, decodeActor, encodeActor } from "../../src/contract/mod.ts";

for (const name of ["claude-code", "Zoë", "100 % sure", "東京", "👩‍💻", "a%41", '"quoted", listed']) {
  Deno.test(`the author ${name} survives the header`, () => {
    const { headers } = new Request("http://engine.test", { headers: { "x-kb-actor": encodeActor(name) } });
    assertEquals(decodeActor(headers.get("x-kb-actor")!), name);
  });
}

Deno.test("plain UTF-8, whose bytes arrive as Latin-1, is decoded", () => {
  assertEquals(decodeActor("Zo\u00c3\u00ab"), "Zoë");
});

for (const value of ["100%", "%zz", "%ff", "\u00ff", "%ed%a0%80"]) {
  Deno.test(`the header ${JSON.stringify(value)} is malformed`, () =>
    assertEquals(decodeActor(value), undefined));
}

for (const name of ["", " ", "a\nb", "a\u0000b", "\u0085", "\u2028", "\ud800", "x".repeat(101)]) {
  Deno.test(`${JSON.stringify(name.slice(0, 9))} is no author`, () =>
    assertEquals(Actor.safeParse(name).success, false));
}

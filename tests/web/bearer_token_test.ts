import { createHash } from "node:crypto";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { bearerTokenCheck } from "../../src/web/mod.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest();

for (
  const header of ["Bearer s3cret", "bearer s3cret", "BEARER   s3cret", "Bearer s3cret  "]
) {
  Deno.test(`Authorization ${JSON.stringify(header)} presents the token`, () => {
    const tokenId = sha256("s3cret").toString("hex");
    assertEquals(bearerTokenCheck(["s3cret"])(header), { status: "valid", tokenId });
  });
}

for (
  const header of [
    null,
    "",
    "Bearer",
    "Bearer ",
    "s3cret",
    "Basic s3cret",
    "Bearers3cret",
    "Bearer s3 cret",
    "Bearer s3cret,Bearer s3cret",
    " Bearer s3cret",
    "Bearer s\u00e9cret",
    `Bearer ${"x".repeat(4096)}`,
  ]
) {
  const shown = header === null ? "none" : JSON.stringify(header.slice(0, 40));
  Deno.test(`Authorization ${shown} does not present the token`, () => {
    assertNotEquals(bearerTokenCheck(["s3cret"])(header).status, "valid");
  });
}

Deno.test("a missing token is told apart from a wrong one", () => {
  const check = bearerTokenCheck(["s3cret"]);
  assertEquals(check(null), { status: "missing" });
  assertEquals(check("Basic czNjcmV0"), { status: "missing" });
  assertEquals(check("Bearer guess"), { status: "invalid" });
});

Deno.test("no prefix or extension of the token is accepted", () => {
  const check = bearerTokenCheck(["s3cret"]);
  for (const token of ["s3cre", "s3crets", "S3cret", "3cret"]) {
    assertEquals(check(`Bearer ${token}`), { status: "invalid" });
  }
});

Deno.test("a token whose digest starts and ends like the right one is not accepted", () => {
  const expected = sha256("s3cret");
  const sharing = (position: number) => {
    for (let n = 0;; n++) if (sha256(`guess${n}`).at(position) === expected.at(position)) return `guess${n}`;
  };
  const check = bearerTokenCheck(["s3cret"]);
  for (const position of [0, -1]) {
    assertEquals(check(`Bearer ${sharing(position)}`), { status: "invalid" });
  }
});

Deno.test("each of several tokens identifies its own caller", () => {
  const check = bearerTokenCheck(["one", "two"]);
  const results = ["one", "two"].map((token) => check(`Bearer ${token}`));
  assert(results.every(({ status }) => status === "valid"));
  assertNotEquals(results[0], results[1]);
});

Deno.test("a header over 4096 characters is not read", () => {
  const token = "x".repeat(4096);
  assertEquals(bearerTokenCheck([token])(`Bearer ${token}`), { status: "missing" });
});

Deno.test("without accepted tokens every token is invalid", () => {
  assertEquals(bearerTokenCheck([])("Bearer x"), { status: "invalid" });
});

Deno.test("repeated headers get the same result", () => {
  const check = bearerTokenCheck(["one", "two"]);
  for (const header of ["Bearer one", "bearer one", "Bearer  one", "Bearer two", "Bearer guess"]) {
    assertEquals(check(header), check(header));
  }
});

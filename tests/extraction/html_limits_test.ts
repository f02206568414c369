import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { extract } from "../../src/extraction/extract.ts";
import { checkHtml } from "../../src/extraction/html_limits.ts";
import { ExtractionError } from "../../src/extraction/types.ts";

const read = (body: string) =>
  extract({
    bytes: new TextEncoder().encode(`<!doctype html><html><body>${body}`),
    filename: "a.html",
    contentType: undefined,
  });

for (
  const [what, body] of [
    ["200,000 tags", "<li>".repeat(500_000)],
    ["5,000 elements inside each other", "<b>".repeat(20_000)],
    ["5,000 elements inside each other", "<p><td>".repeat(20_000)],
    ["256 attributes in one tag", `<p ${Array.from({ length: 300 }, (_, i) => `a${i}`).join(" ")}>x`],
  ] as const
) {
  Deno.test(`extract refuses HTML with more than ${what}: ${body.slice(0, 8)}`, async () => {
    const error = await assertRejects(() => read(body), ExtractionError);
    assertEquals((error as ExtractionError).code, "too_large");
    assertMatch((error as ExtractionError).message, new RegExp(`more than ${what}`));
  });
}

Deno.test("end tags that may be left out, comments, scripts and long values are no reason to refuse HTML", () => {
  const rows = "<table>" + "<tr><td>x".repeat(20_000);
  const script = `<script>${"if (a<b) f('<b>');".repeat(20_000)}</script>`;
  const image = `<img src="data:,${"<b> a=b ".repeat(20_000)}">`;
  checkHtml(
    `${rows}</table><ul>${"<li>x".repeat(20_000)}</ul>${"<p>x".repeat(20_000)}${script}${image}`,
    "a",
  );
});

for (const space of [" ", "&#32;", "&nbsp; "]) {
  Deno.test(`endless ${space} in HTML is cut before the converter's regular expressions see it`, async () => {
    for (
      const [open, close] of [["<ul><li><pre>", "</pre></ul>"], ["<table><tr><td><pre>", "</pre></table>"]]
    ) {
      const { text } = await read(`${open}a${space.repeat(5_000)}b${close}`);
      assertMatch(text, /a\s+b/);
      assert(text.length < 300, `${text.length}`);
    }
  });
}

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { checkHtml } from "../../../src/extraction/html/check_html.ts";
import { ExtractionError } from "../../../src/extraction/errors.ts";
import { extractDocument } from "../../support/extract_document.ts";

const read = (body: string) =>
  extractDocument({
    bytes: new TextEncoder().encode(`<!doctype html><html><body>${body}`),
    filename: "a.html",
    contentType: undefined,
  });

for (
  const [what, body] of [
    ["200,000 tags", "<li>".repeat(500_000)],
    ["5,000 nested elements", "<b>".repeat(20_000)],
    ["5,000 nested elements", "<p><td>".repeat(20_000)],
    ["256 attributes in one tag", `<p ${Array.from({ length: 300 }, (_, i) => `a${i}`).join(" ")}>x`],
  ] as const
) {
  Deno.test(`extract rejects HTML with more than ${what}: ${body.slice(0, 8)}`, async () => {
    const error = await assertRejects(() => read(body), ExtractionError);
    assertEquals((error as ExtractionError).code, "too_large");
    assertMatch((error as ExtractionError).message, new RegExp(`more than ${what}`));
  });
}

Deno.test("optional end tags, comments, scripts and long attribute values do not count towards the limits of HTML", () => {
  const rows = "<table>" + "<tr><td>x".repeat(20_000);
  const script = `<script>${"if (a<b) f('<b>');".repeat(20_000)}</script>`;
  const image = `<img src="data:,${"<b> a=b ".repeat(20_000)}">`;
  checkHtml(
    `${rows}</table><ul>${"<li>x".repeat(20_000)}</ul>${"<p>x".repeat(20_000)}${script}${image}`,
    "a",
  );
});

for (const space of [" ", "&#32;", "&nbsp; "]) {
  Deno.test(`a long run of ${JSON.stringify(space)} in HTML is truncated before conversion`, async () => {
    for (
      const [open, close] of [["<ul><li><pre>", "</pre></ul>"], ["<table><tr><td><pre>", "</pre></table>"]]
    ) {
      const { text } = await read(`${open}a${space.repeat(5_000)}b${close}`);
      assertMatch(text, /a\s+b/);
      assert(text.length < 300, `${text.length}`);
    }
  });
}
